import DemoProvider
import Foundation
import Glibc
import MSAuthCore
import TestSupport
import Testing

@Suite("tokens for Azure SDKs and tools", .limitedConcurrency)
struct AzureTests {
  private static let vault = "https://vault.azure.net"
  private static let management = "https://management.azure.com"

  private func signedIn(
    consent: [String] = [vault, management, "https://management.core.windows.net"]
  ) async throws -> DemoProviderFixture {
    let fixture = try await DemoProviderFixture()
    let child = try fixture.start(["login"] + consent.flatMap { ["--extra-scope", $0 + "/user_impersonation"] })
    _ = try await ScriptedBrowser().walk(from: try await child.printedURL(), as: "ada")
    let outcome = try await fixture.runner.outcome(of: child)
    guard outcome.code == 0 else { throw TestFailure("msauth login: \(outcome)") }
    return fixture
  }

  private func exec(_ fixture: DemoProviderFixture, _ command: String...) async throws -> CommandRunner.Outcome {
    try await fixture.run(["exec", "--azure", "--"] + command)
  }

  private func script(_ name: String = "azure_client") throws -> String {
    let script = Bundle.module.url(forResource: name, withExtension: "py", subdirectory: "Resources")
    guard let script else { throw TestFailure("\(name).py is not in the test bundle") }
    return script.path
  }

  private func lines(_ outcome: CommandRunner.Outcome) throws -> [JSONValue] {
    try outcome.stdout.split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
  }

  private func files(_ fixture: DemoProviderFixture) -> [String] {
    let directory = fixture.home.path("run/msauth/exec")
    return (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
  }

  // MARK: the command's environment

  @Test("unchanged programs with Azure's SDKs get the user's tokens")
  func credentials() async throws {
    let fixture = try await signedIn()
    let names = [
      "DefaultAzureCredential", "ManagedIdentityCredential", "AzureCliCredential", "AzureDeveloperCliCredential",
      "ManagedIdentityClient", "CloudShell",
    ]
    let outcome = try await fixture.run(
      ["exec", "--azure", "--", try BuiltProducts.python(), try script(), Self.vault] + names
    )
    let results = try lines(outcome)
    #expect(results.map { $0["name"]?.string } == names, "\(outcome)")
    #expect(results.allSatisfy { $0["audience"]?.string == Self.vault }, "\(outcome)")
    // All of them with one refresh.
    #expect(await fixture.grants() == ["authorization_code", "refresh_token"])
    _ = try await eventually("the directory's end") { files(fixture).isEmpty ? true : nil }
  }

  @Test("a Key Vault's client library reads a secret")
  func keyVault() async throws {
    let fixture = try await signedIn()
    let port = try #require(URL(string: fixture.provider.baseURL)?.port.flatMap(UInt16.init))
    let proxy = try await TLSProxy(["demo.vault.azure.net": port])
    var runner = fixture.runner
    runner.environment.merge(proxy.environment) { $1 }
    runner.environment["REQUESTS_CA_BUNDLE"] = proxy.environment["SSL_CERT_FILE"]
    let child = try runner.start(
      ["exec"] + fixture.identity()
        + [
          "--azure", "--", try BuiltProducts.python(), try script(), "https://demo.vault.azure.net", "secret",
          "password",
        ]
    )
    let outcome = try await runner.outcome(of: child)
    #expect(try lines(outcome) == [["value": "the value of password"]], "\(outcome)")
  }

  @Test("a resource without consent is an error that names the command for it; signed out, there is no command")
  func noConsent() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    let names = [
      "ManagedIdentityCredential", "AzureCliCredential", "AzureDeveloperCliCredential", "ManagedIdentityClient",
    ]
    let outcome = try await fixture.run(
      ["exec", "--azure", "--", try BuiltProducts.python(), try script(), Self.vault] + names
    )
    for result in try lines(outcome) {
      let message = result["message"]?.string ?? ""
      #expect(message.contains("msauth login"), "\(result)")
      #expect(message.replacing("'", with: "").contains("--extra-scope \(Self.vault)/user_impersonation"), "\(result)")
    }
    #expect(try await fixture.run("logout").code == 0)
    let signedOut = try await exec(fixture, "true")
    #expect(signedOut.code == 2 && files(fixture).isEmpty, "\(signedOut)")
  }

  @Test(
    "the directory with az is this user's alone, and removed when the command is killed",
    arguments: [SIGTERM, SIGKILL]
  )
  func killed(_ number: Int32) async throws {
    let fixture = try await signedIn()
    let child = try fixture.start(["exec", "--azure", "--", "sh", "-c", "command -v az; exec sleep 1000"])
    let az = try await child.firstLine()
    #expect(az.hasPrefix(fixture.home.path("run/msauth/exec/")), "\(az)")
    let directory = String(az.dropLast("/az".utf8.count))
    let attributes = try FileManager.default.attributesOfItem(atPath: directory)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["az", "azd", "keyring"])
    child.signal(number)
    #expect(try await child.end() == .killed(number))
    _ = try await eventually("the directory's end") { files(fixture).isEmpty ? true : nil }
  }

  @Test("neither the secret nor a token is in an argument; inherited variables of other platforms are removed")
  func environment() async throws {
    let fixture = try await signedIn()
    var runner = fixture.runner
    runner.environment["IDENTITY_SERVER_THUMBPRINT"] = "x"
    runner.environment["MSI_SECRET"] = "x"
    runner.environment["NO_PROXY"] = "example.com"
    let command =
      "env; tr '\\0' '\\n' </proc/*/cmdline 2>/dev/null; cat /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | sed s/^/cmd:/"
    let child = try runner.start(["exec"] + fixture.identity() + ["--azure", "--", "sh", "-c", command])
    let outcome = try await runner.outcome(of: child)
    let variables = outcome.stdout.split(separator: "\n")
    let secret = try #require(
      variables.first { $0.hasPrefix("IDENTITY_HEADER=") }?.dropFirst("IDENTITY_HEADER=".utf8.count)
    )
    #expect(secret.utf8.count == 43)
    #expect(!variables.contains { $0.hasPrefix("cmd:") && $0.contains(secret) }, "\(outcome)")
    #expect(!variables.contains { $0.hasPrefix("IDENTITY_SERVER_THUMBPRINT=") || $0.hasPrefix("MSI_SECRET=") })
    #expect(variables.contains("NO_PROXY=example.com,127.0.0.1") && variables.contains("no_proxy=127.0.0.1"))
  }

  @Test("options that the endpoint ignores are wrong usage")
  func usage() async throws {
    let fixture = try await DemoProviderFixture()
    for options in [["--fd", "3"], ["--output", "header"], ["--scope", "x"]] {
      #expect(try await fixture.run(["exec", "--azure"] + options + ["--", "true"]).code == 64)
    }
  }

  // MARK: az and azd

  @Test("az prints what the Azure CLI does, for the requests of Terraform, azcopy, kubelogin and SDKs")
  func azureCLI() async throws {
    let fixture = try await signedIn()
    let commands = [
      // Terraform's azurerm and azuread providers (hashicorp/go-azure-sdk).
      "az version -o=json", "az account show -o=json",
      "az account get-access-token -o=json --scope \(Self.management)/.default",
      // Go's azidentity, which azcopy and kubelogin use; az for Resource Manager by its older name.
      "az account get-access-token -o json --resource \(Self.management)",
      "az account get-access-token -o json --resource \(Self.vault) --tenant aaaabbbb-0000-cccc-1111-dddd2222eeee",
      // .NET and Java.
      "az account get-access-token --output json --resource \(Self.vault)", "az account get-access-token",
    ]
    let separator = "----"
    let outcome = try await exec(fixture, "sh", "-c", commands.joined(separator: "; echo \(separator);"))
    let documents = try outcome.stdout.split(separator: "\(separator)\n").map { try JSONValue(parsing: $0.utf8) }
    try #require(documents.count == commands.count, "\(outcome)")
    #expect(documents[0]["azure-cli"]?.string?.hasPrefix("2.") == true)
    #expect(documents[1]["user"]?["name"] == "ada@contoso.example" && documents[1]["environmentName"] == "AzureCloud")
    #expect(documents[1]["tenantId"] == "aaaabbbb-0000-cccc-1111-dddd2222eeee" && documents[1]["isDefault"] == true)
    for document in documents.dropFirst(2) {
      #expect(document["accessToken"]?.string?.isEmpty == false && document["tokenType"] == "Bearer", "\(outcome)")
      let expiry = document["expiresOn"]?.string
      #expect(expiry?.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}/) != nil, "\(outcome)")
      #expect(document["expires_on"]?.integer != nil && document["tenant"]?.string != nil, "\(outcome)")
    }
    let token = try await exec(
      fixture,
      "sh",
      "-c",
      "az account get-access-token --query accessToken -o tsv --resource \(Self.vault)"
    )
    #expect(token.stdout.split(separator: ".").count == 3, "\(token)")
  }

  @Test(
    "what az is not for is refused with what it is; signed out, SDKs find their words and the user the true command"
  )
  func refusals() async throws {
    let fixture = try await signedIn()
    let other = try await exec(fixture, "az", "group", "list")
    #expect(other.code == 1 && other.stderr.contains("msauth") && other.stderr.contains("group list"), "\(other)")
    let command =
      "\(try BuiltProducts.msauth) logout -q; az account get-access-token; azd auth token --scope x; az account show"
    let signedOut = try await exec(fixture, "sh", "-c", command)
    #expect(signedOut.stderr.ranges(of: "Please run 'az login' to setup account.").count == 2, "\(signedOut)")
    #expect(signedOut.stderr.contains("not logged in, run `azd auth login` to login"), "\(signedOut)")
    #expect(signedOut.stderr.ranges(of: "run msauth login --client-id").count == 3, "\(signedOut)")
    #expect(!signedOut.stderr.contains("AADSTS") && signedOut.stdout.isEmpty, "\(signedOut)")
  }

  // MARK: the endpoint

  /// A served endpoint: the process and its variables.
  private func serve(
    _ fixture: DemoProviderFixture,
    _ options: String...
  ) async throws -> (child: ChildProcess, variables: [String: String]) {
    let child = try fixture.start(["serve", "--output", "json"] + options)
    let object = try JSONValue(parsing: try await child.firstLine().utf8)
    #expect(object["version"]?.integer == 1)
    return (child, object["variables"]?.object?.mapValues { $0.string ?? "" } ?? [:])
  }

  private func get(
    _ variables: [String: String],
    _ resource: String = vault,
    _ headers: [String: String]? = nil
  ) async throws -> HTTPClient.Response {
    let url = "\(variables["IDENTITY_ENDPOINT"] ?? "")?api-version=2019-08-01&resource=\(resource)"
    return try await HTTPClient.send(
      "GET",
      url,
      headers: headers ?? ["X-IDENTITY-HEADER": variables["IDENTITY_HEADER"] ?? ""]
    )
  }

  @Test("100 requests at once are one refresh")
  func oneRefresh() async throws {
    let fixture = try await signedIn()
    let (child, variables) = try await serve(fixture)
    let responses = try await atOnce(100) { try await self.get(variables) }
    #expect(responses.allSatisfy { $0.status == 200 } && Set(responses.map(\.body)).count == 1)
    #expect(await fixture.grants().count { $0 == "refresh_token" } == 1)
    #expect(responses[0].header("cache-control") == "no-store")
    child.signal(SIGTERM)
    #expect(try await child.end() == .exited(143))
  }

  @Test("the wrong secret, a browser and an unlisted resource get nothing")
  func refused() async throws {
    let fixture = try await signedIn()
    let (_, variables) = try await serve(fixture, "--resource", Self.vault, "--imds")
    let secret = variables["IDENTITY_HEADER"] ?? ""
    #expect(try await get(variables).status == 200)
    for headers in [[:], ["X-IDENTITY-HEADER": "x"], ["X-IDENTITY-HEADER": secret.uppercased()]] {
      let response = try await get(variables, Self.vault, headers)
      #expect(response.status == 401 && response.body.isEmpty)
    }
    for field in ["Origin", "Sec-Fetch-Mode"] {
      let response = try await get(variables, Self.vault, ["X-IDENTITY-HEADER": secret, field: "null"])
      #expect(response.status == 403 && response.body.isEmpty)
    }
    let unlisted = try await get(variables, Self.management)
    #expect(unlisted.status == 403 && unlisted.body.contains(#""statusCode":403"#), "\(unlisted)")
    // The metadata service of virtual machines, as Go's azidentity calls it.
    let host = variables["AZURE_POD_IDENTITY_AUTHORITY_HOST"] ?? ""
    let url = host + "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fvault.azure.net"
    let imds = try await HTTPClient.send("GET", url, headers: ["Metadata": "true"])
    #expect(imds.status == 200 && imds.body.contains("\"expires_in\":"), "\(imds)")
    #expect(try await HTTPClient.send("GET", url).status == 400)
    #expect(
      try await HTTPClient.send("GET", url.replacing(secret, with: "x"), headers: ["Metadata": "true"]).status == 401
    )
    let foreign = try await HTTPClient.send("GET", url, headers: ["Metadata": "true", "Host": "evil.example"])
    #expect(foreign.status >= 400)
  }

  @Test("another local user is refused", .enabled(if: geteuid() == 0, "needs root to become another user"))
  func otherUser() async throws {
    let fixture = try await signedIn()
    let (_, variables) = try await serve(fixture)
    let url = "\(variables["IDENTITY_ENDPOINT"] ?? "")?api-version=2019-08-01&resource=\(Self.vault)"
    let child = try ChildProcess(
      [
        "setpriv", "--reuid", "12002", "--regid", "12002", "--clear-groups", "curl", "-s", "-w", "%{http_code}", "-H",
        "X-IDENTITY-HEADER: \(variables["IDENTITY_HEADER"] ?? "")", url,
      ],
      environment: ["PATH": "/usr/bin:/bin"]
    )
    _ = try await child.end()
    #expect(child.stdout == "403", "\(child.stdout)")
  }

  @Test("the endpoint ends at sign-out, and when the time is up")
  func ending() async throws {
    let fixture = try await signedIn()
    let timed = try await fixture.run("serve", "--for", "1s")
    #expect(timed.code == 0 && timed.stderr.contains("--for"), "\(timed)")
    let (child, _) = try await serve(fixture)
    #expect(try await fixture.run("logout").code == 0)
    #expect(try await child.end() == .exited(0))
    #expect(child.stderr.contains("signed out"), "\(child.stderr)")
  }

  @Test("an address for other computers needs a list of resources, and is one address")
  func address() async throws {
    let fixture = try await signedIn()
    let unlisted = try await fixture.run("serve", "--listen", "172.17.0.1")
    #expect(unlisted.code == 64 && unlisted.stderr.contains("--resource"), "\(unlisted)")
    for address in ["0.0.0.0", "::", "example.com", "", "172.17.0.1/x"] {
      #expect(try await fixture.run("serve", "--listen", address, "--resource", Self.vault).code == 64, "\(address)")
    }
    for time in ["0", "-1s", "8x", "400d", ""] { #expect(try await fixture.run("serve", "--for=\(time)").code == 64) }
    // 203.0.113.0/24 is for documentation.
    let absent = try await fixture.run("serve", "--listen", "203.0.113.1", "--resource", Self.vault)
    #expect(absent.code == 1 && absent.stderr.contains("203.0.113.1"), "\(absent)")
  }

  @Test("on another address than loopback, the secret protects")
  func container() async throws {
    let fixture = try await signedIn()
    let addresses = try ChildProcess(["hostname", "-I"], environment: ["PATH": "/usr/bin:/bin"])
    _ = try await addresses.end()
    // A computer without a network has no other address.
    guard let address = addresses.stdout.split(separator: " ").first(where: { $0.contains(".") }) else { return }
    let (_, variables) = try await serve(fixture, "--listen", String(address), "--resource", Self.vault)
    let endpoint = variables["IDENTITY_ENDPOINT"] ?? ""
    #expect(endpoint.hasPrefix("http://\(address):"))
    func status(_ resource: String, _ secret: String) async throws -> String {
      let url = "\(endpoint)?api-version=2019-08-01&resource=\(resource)"
      let arguments = [
        "curl", "-s", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", "-H", "X-IDENTITY-HEADER: \(secret)",
      ]
      let child = try ChildProcess(arguments + [url], environment: ["PATH": "/usr/bin:/bin"])
      _ = try await child.end()
      return child.stdout
    }
    let secret = variables["IDENTITY_HEADER"] ?? ""
    #expect(try await status(Self.vault, secret) == "200")
    #expect(try await status(Self.management, secret) == "403")
    #expect(try await status(Self.vault, "x") == "401")
  }

  @Test("with --interactive the browser opens once for all that wait")
  func interactive() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    let (child, variables) = try await serve(fixture, "--interactive", "--no-browser")
    async let responses = atOnce(20) { try await self.get(variables) }
    let url = try await child.printedURL()
    _ = try await ScriptedBrowser().walk(from: url, as: "ada")
    #expect(try await responses.allSatisfy { $0.status == 200 })
    #expect(child.stderr.ranges(of: "/go/").count <= 1, "\(child.stderr)")
  }

  // MARK: Docker and package managers

  @Test("Docker's helper exchanges a token for a registry that was set up, and for no other")
  func docker() async throws {
    let fixture = try await signedIn()
    let registry = String(fixture.provider.baseURL.dropFirst("http://".utf8.count))
    let helper = fixture.home.path("home/docker-credential-msauth")
    try FileManager.default.createSymbolicLink(atPath: helper, withDestinationPath: try BuiltProducts.msauth)
    var environment = fixture.home.environment
    environment["MSAUTH_CLIENT_ID"] = fixture.provider.clientID
    environment["MSAUTH_AUTHORITY"] = fixture.provider.entraAuthority()
    environment["MSAUTH_AUTHORITY_TYPE"] = "aad"
    environment["MSAUTH_STORE"] = "file"
    func run(_ arguments: [String], input: String = "") async throws -> CommandRunner.Outcome {
      let command = #"input=$1; shift; printf %s "$input" | "$@""#
      let child = try ChildProcess(["sh", "-c", command, "sh", input] + arguments, environment: environment)
      return try await fixture.runner.outcome(of: child)
    }
    let unknown = try await run([helper, "get"], input: registry)
    #expect(unknown.code == 1 && unknown.stdout == "credentials not found in native keychain\n", "\(unknown)")
    try fixture.home.write(#"{"auths": {}, "credHelpers": {"other.example": "other"}}"#, to: "home/.docker/config.json")
    let program = try BuiltProducts.msauth
    #expect(try await run([program, "docker-credential", "setup", registry]).code == 0)
    #expect(try await run([program, "docker-credential", "setup", "other.example"]).code == 78)
    let written = try JSONValue(parsing: (fixture.home.read("home/.docker/config.json") ?? "").utf8)
    #expect(written["credHelpers"]?[registry] == "msauth" && written["credHelpers"]?["other.example"] == "other")
    let credentials = try JSONValue(parsing: try await run([helper, "get"], input: registry + "\n").stdout.utf8)
    #expect(credentials["ServerURL"]?.string == registry, "\(credentials)")
    #expect(credentials["Username"] == "00000000-0000-0000-0000-000000000000")
    #expect(credentials["Secret"]?.string?.hasPrefix("demo-acr-") == true)
    #expect(try await run([helper, "get"], input: "other.example").code == 1)
    #expect(try await run([helper, "list"]).stdout == "{\"\(registry)\":\"00000000-0000-0000-0000-000000000000\"}\n")
    #expect(try await run([helper, "erase"], input: registry).code == 0)
    #expect(try await run([helper, "store"], input: "{}").code == 1)
    #expect(try await run([program, "docker-credential", "setup", registry, "--remove"]).code == 0)
    #expect(try await run([helper, "get"], input: registry).code == 1)
  }

  @Test("keyring gives the token to feeds of Azure Artifacts over https, and leaves the rest to the user's own keyring")
  func keyring() async throws {
    let fixture = try await signedIn(consent: ["499b84ac-1321-427f-aa17-267ca6975798"])
    try fixture.home.write("#!/bin/sh\necho \"own $*\"\n", to: "bin/keyring", mode: 0o755)
    let feed = "https://pkgs.dev.azure.com/contoso/_packaging/feed/pypi/simple/"
    let commands = [
      "keyring get \(feed) VssSessionToken", "keyring get https://VssSessionToken@pkgs.dev.azure.com/x VssSessionToken",
      "keyring get pkgs.dev.azure.com VssSessionToken", "keyring get \(feed) --mode creds",
      "keyring --mode=creds --output=json get \(feed)",
      "keyring get http://pkgs.dev.azure.com/x u", "keyring get https://pkgs.dev.azure.com.evil.example/ u",
      "keyring get https://evil.example/@pkgs.dev.azure.com u", "keyring set a b",
    ]
    let path = "PATH=\"$PATH:\(fixture.home.path("bin"))\"; "
    let outcome = try await exec(fixture, "sh", "-c", path + commands.joined(separator: "; "))
    let lines = outcome.stdout.split(separator: "\n").map(String.init)
    try #require(lines.count == 10, "\(outcome)")
    #expect(Set(lines[..<3] + [lines[4]]).count == 1 && lines[0].split(separator: ".").count == 3, "\(outcome)")
    #expect(try JSONValue(parsing: lines[5].utf8) == ["username": "VssSessionToken", "password": .string(lines[0])])
    #expect(lines[3] == "VssSessionToken" && lines[6...].allSatisfy { $0.hasPrefix("own ") }, "\(outcome)")
  }

  @Test(
    "pip and uv install from a feed of Azure Artifacts",
    arguments: [["pip", "install", "--no-input"], ["uv", "pip", "install", "--no-cache", "--no-config"]]
  )
  func packageInstallers(_ installer: [String]) async throws {
    let fixture = try await signedIn(consent: ["499b84ac-1321-427f-aa17-267ca6975798"])
    let program = [try BuiltProducts.python(), try script("package_feed")]
    let feed = try BackgroundProgram(program, environment: ["PATH": "/usr/bin:/bin"])
    let port = try await feed.ready("the feed") {
      feed.stdout.hasSuffix("\n") ? UInt16(feed.stdout.dropLast()) : nil
    }
    let proxy = try await TLSProxy(["pkgs.dev.azure.com": port])
    var runner = fixture.runner
    runner.environment.merge(proxy.environment) { $1 }
    let directory = fixture.home.path("home/packages")
    let arguments = [
      "--keyring-provider", "subprocess", "--target", directory, "--index-url",
      "https://VssSessionToken@pkgs.dev.azure.com/contoso/_packaging/feed/pypi/simple/", "contoso-tools",
    ]
    let child = try runner.start(
      ["exec"] + fixture.identity() + ["--azure", "--", try BuiltProducts.python(installer[0])] + installer.dropFirst()
        + arguments
    )
    let outcome = try await runner.outcome(of: child)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(FileManager.default.fileExists(atPath: directory + "/contoso_tools.py"))
  }
}

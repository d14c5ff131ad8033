@testable import DemoProvider
import Foundation
import Glibc
import MSAuthCore
import TestSupport
import Testing

@Suite("tokens for Azure SDKs and tools", .limitedConcurrency)
struct AzureTests {
  static let vault = "https://vault.azure.net"
  static let management = "https://management.azure.com"

  /// With a user who consents to all resources of the tests.
  let fixture: DemoProviderFixture

  init() async throws {
    fixture = try await DemoProviderFixture()
    let resources = [
      Self.vault, Self.management, "https://management.core.windows.net", "https://containerregistry.azure.net",
      "https://ossrdbms-aad.database.windows.net", "499b84ac-1321-427f-aa17-267ca6975798",
    ]
    let login = ["login"] + resources.flatMap { ["--extra-scope", $0 + "/user_impersonation"] }
    try await fixture.complete(fixture.start(login)).expect(0)
  }

  func exec(_ command: String...) async throws -> CommandRunner.Outcome { try await exec(command) }

  func exec(_ command: [String]) async throws -> CommandRunner.Outcome {
    try await fixture.run(["exec", "--azure", "--"] + command)
  }

  var script: String { get throws { try pythonScript("azure_client") } }

  func lines(_ outcome: CommandRunner.Outcome) throws -> [JSONValue] {
    try outcome.stdout.split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
  }

  func files(_ home: Home) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: home.path("run/msauth/exec"))) ?? []
  }

  // MARK: the command's environment

  @Test("programs with unmodified Azure SDKs get the user's tokens")
  func credentials() async throws {
    let names = [
      "DefaultAzureCredential", "ManagedIdentityCredential", "AzureCliCredential", "AzureDeveloperCliCredential",
      "ManagedIdentityClient", "CloudShell",
    ]
    let outcome = try await exec([try BuiltProducts.python(), try script, Self.vault] + names)
    let results = try lines(outcome)
    #expect(results.map { $0["name"]?.string } == names, "\(outcome)")
    #expect(results.allSatisfy { $0["audience"]?.string == Self.vault }, "\(outcome)")
    // One refresh for all of them.
    #expect(await fixture.grants() == ["authorization_code", "refresh_token"])
    try await eventually("the directory's end") { files(fixture.home).isEmpty }
  }

  @Test("without a directory of the session, the hint suggests a file descriptor if the command can have one")
  func noSessionDirectory() async throws {
    var fixture = fixture
    try fixture.home.write("", to: "run/msauth")
    try await fixture.run("exec", "--", "true").expect(1, "hint: pass the token on a file descriptor")
    fixture.runner.environment["XDG_RUNTIME_DIR"] = "/nonexistent"
    try await fixture.run("exec", "--azure", "--", "true")
      .expect(78, "run export XDG_RUNTIME_DIR=$(mktemp -d -p /dev/shm)", lacks: "--fd")
  }

  @Test("a Key Vault's client library reads a secret")
  func keyVault() async throws {
    var fixture = fixture
    let port = try #require(URL(string: fixture.provider.baseURL)?.port.flatMap(UInt16.init))
    let proxy = try await TLSProxy(["demo.vault.azure.net": port])
    fixture.runner.environment = proxy.environment
    fixture.runner.environment["REQUESTS_CA_BUNDLE"] = proxy.environment["SSL_CERT_FILE"]
    let client = [try BuiltProducts.python(), try script, "https://demo.vault.azure.net", "secret", "password"]
    let outcome = try await fixture.run(["exec", "--azure", "--"] + client)
    #expect(try lines(outcome) == [["value": "the value of password"]], "\(outcome)")
  }

  @Test("without consent, SDKs' errors have the command to run; without an account, exec exits 2")
  func noConsent() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    let client = [try BuiltProducts.python(), try script, Self.vault]
    let names = [
      "ManagedIdentityCredential", "AzureCliCredential", "AzureDeveloperCliCredential", "ManagedIdentityClient",
    ]
    let outcome = try await fixture.run(["exec", "--azure", "--"] + client + names)
    let results = try lines(outcome)
    #expect(results.map { $0["name"]?.string } == names, "\(outcome)")
    for result in results {
      let message = result["message"]?.string ?? ""
      #expect(message.contains("msauth login"), "\(result)")
      #expect(message.replacing("'", with: "").contains("--extra-scope \(Self.vault)/user_impersonation"), "\(result)")
    }
    try await fixture.run("logout").expect(0)
    try await fixture.run("exec", "--azure", "--", "true").expect(2)
    #expect(files(fixture.home).isEmpty)
  }

  /// The endpoint ends with the command, which must not end before the browser has the last page.
  private static let awaitLastPage = #"until [ -e "$HOME/walked" ]; do sleep 0.1; done"#

  @Test("with --interactive, az waits for the sign-in, which continues without it", arguments: [true, false])
  func interactive(isPatient: Bool) async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    let az = "az account get-access-token --resource \(Self.vault) --query tokenType --output tsv"
    // SDKs end az after 10 s.
    let command = (isPatient ? az : "\(az) & echo $! >&2; wait; echo ended >&2; \(az)") + "; " + Self.awaitLastPage
    let child = try fixture.start(["exec", "--azure", "--interactive", "--no-browser", "--", "sh", "-c", command])
    let url = try await child.printedURL()
    if !isPatient {
      kill(try await child.stderrLine("az's process ID") { pid_t($0) }, SIGKILL)
      try await eventually("the end of az") { child.stderr.contains("ended") }
    }
    _ = try await ScriptedBrowser().walk(from: url, as: "ada")
    try fixture.home.write("", to: "home/walked")
    try await fixture.runner.outcome(of: child).expect(0, stdout: "Bearer\n")
    #expect(await fixture.grants().filter { $0 == "authorization_code" }.count == 2)
  }

  @Test("with --interactive, az reports why the sign-in failed")
  func otherAccount() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    let az = "az account get-access-token --resource \(Self.vault); " + Self.awaitLastPage
    let child = try fixture.start(["exec", "--azure", "--interactive", "--no-browser", "--", "sh", "-c", az])
    _ = try await ScriptedBrowser().walk(from: try await child.printedURL(), as: "alan")
    try fixture.home.write("", to: "home/walked")
    try await fixture.runner.outcome(of: child)
      .expect(0, "ERROR: \(alan) signed in instead of \(ada)", stdout: "", lacks: "--extra-scope")
    #expect(try await fixture.run(["status"]).stdout.contains(ada))
  }

  @Test("az's directory is private, and removed when the command is killed", arguments: [SIGTERM, SIGKILL])
  func killed(_ number: Int32) async throws {
    let child = try fixture.start(["exec", "--azure", "--", "sh", "-c", "command -v az; exec sleep 1000"])
    let az = try await child.firstLine()
    #expect(az.hasPrefix(fixture.home.path("run/msauth/exec/")), "\(az)")
    let directory = String(az.dropLast("/az".utf8.count))
    let name = directory.dropFirst(fixture.home.folder.path.count + 1)
    #expect(try fixture.home.mode(String(name)) == 0o700)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["az", "azd", "keyring"])
    child.signal(number)
    #expect(try await child.end() == .killed(number))
    try await eventually("the directory's end") { files(fixture.home).isEmpty }
  }

  @Test("neither the secret nor a token is in an argument; other platforms' inherited variables are removed")
  func environment() async throws {
    var fixture = fixture
    fixture.runner.environment = ["IDENTITY_SERVER_THUMBPRINT": "x", "MSI_SECRET": "x", "NO_PROXY": "example.com"]
    let command =
      "env; tr '\\0' '\\n' </proc/*/cmdline 2>/dev/null; cat /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | sed s/^/cmd:/"
    let outcome = try await fixture.run("exec", "--azure", "--", "sh", "-c", command)
    let variables = outcome.stdout.split(separator: "\n")
    let header = try #require(variables.first { $0.hasPrefix("IDENTITY_HEADER=") })
    let secret = header.dropFirst("IDENTITY_HEADER=".utf8.count)
    #expect(secret.utf8.count == 43)
    #expect(!variables.contains { $0.hasPrefix("cmd:") && $0.contains(secret) }, "\(outcome)")
    #expect(!variables.contains { $0.hasPrefix("IDENTITY_SERVER_THUMBPRINT=") || $0.hasPrefix("MSI_SECRET=") })
    for name in ["NO_PROXY", "no_proxy"] { #expect(variables.contains("\(name)=example.com,127.0.0.1")) }
  }

  // MARK: az and azd

  @Test("az prints the Azure CLI's output for requests of Terraform, azcopy, kubelogin and SDKs")
  func azureCLI() async throws {
    let commands = [
      // Terraform's azurerm and azuread providers (hashicorp/go-azure-sdk).
      "az version -o=json", "az account show -o=json",
      "az account get-access-token -o=json --scope \(Self.management)/.default",
      // Go's azidentity, which azcopy and kubelogin use; az for Resource Manager by its older name.
      "az account get-access-token -o json --resource \(Self.management)",
      "az account get-access-token -o json --resource \(Self.vault) --tenant \(Tenant.contoso.id)",
      // .NET and Java.
      "az account get-access-token --output json --resource \(Self.vault)", "az account get-access-token",
    ]
    let separator = "----"
    let outcome = try await exec("sh", "-c", commands.joined(separator: "; echo \(separator);"))
    let documents = try outcome.stdout.split(separator: "\(separator)\n").map { try JSONValue(parsing: $0.utf8) }
    try #require(documents.count == commands.count, "\(outcome)")
    #expect(documents[0]["azure-cli"]?.string?.hasPrefix("2.") == true)
    #expect(documents[1]["user"]?["name"]?.string == ada && documents[1]["environmentName"] == "AzureCloud")
    #expect(documents[1]["tenantId"]?.string == Tenant.contoso.id && documents[1]["isDefault"] == true)
    for document in documents.dropFirst(2) {
      #expect(document["accessToken"]?.string?.isEmpty == false && document["tokenType"] == "Bearer", "\(outcome)")
      let expiry = document["expiresOn"]?.string
      #expect(expiry?.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}/) != nil, "\(outcome)")
      #expect(document["expires_on"]?.integer != nil && document["tenant"]?.string != nil, "\(outcome)")
    }
    let command = "az account get-access-token --query accessToken -o tsv --resource \(Self.vault)"
    let token = try await exec("sh", "-c", command)
    #expect(token.stdout.split(separator: ".").count == 3, "\(token)")
  }

  @Test("az lists the account, knows Azure CLI's resource types, and prints its version")
  func azureCLIOutput() async throws {
    for (command, expected) in [
      ("az --version", "azure-cli                         2.81.0\n\ncore "),
      ("az account list --all --query [].[user.name,cloudName] -o tsv", "\(ada)\tAzureCloud\n"),
      ("az account get-access-token --resource-type oss-rdbms --query tokenType -o tsv", "Bearer\n"),
    ] {
      let outcome = try await exec(command.split(separator: " ").map(String.init))
      #expect(outcome.code == 0 && outcome.stdout.hasPrefix(expected), "\(command): \(outcome)")
    }
    try await exec("az", "account", "get-access-token", "--resource-type", "sql").expect(2, "arm, batch")
  }

  @Test("az account show is about the tenant that is named, by ID or domain, or fails")
  func shownTenant() async throws {
    let home = Tenant.contoso.id
    let show = #"for tenant; do az account show --tenant "$tenant" --query tenantId -o tsv || echo failed; done"#
    let (own, other) = (
      [home, home.uppercased(), "contoso.onmicrosoft.com"],
      ["bletchley.onmicrosoft.com", "nosuch.onmicrosoft.com", "22220000-3333-4444-5555-666677778888"]
    )
    let outcome = try await exec(["sh", "-c", show, "sh"] + own + other)
    let expected = own.map { _ in home } + other.map { _ in "failed" }
    #expect(outcome.stdout.split(separator: "\n").map(String.init) == expected, "\(outcome)")
    try await exec("az", "account", "show", "--claims", "x").expect(2, "account show doesn't take --claims")
  }

  @Test("az and azd never return another tenant's token")
  func otherTenant() async throws {
    for command in [
      "az account get-access-token --tenant", "az account show --tenant", "azd auth token --scope x --tenant-id",
    ] {
      let each = #"for tenant; do \#(command)="$tenant"; echo "exit $?"; done"#
      let outcome = try await exec("sh", "-c", each, "sh", "", "../..")
      #expect(outcome.stdout.split(separator: "\n") == ["exit 1", "exit 1"], "\(command): \(outcome)")
      #expect(outcome.stderr.split(separator: "\n").count { $0.contains("tenant") } >= 2, "\(command): \(outcome)")
    }
  }

  @Test(
    "unsupported az commands are rejected with az's purpose; signed out, SDKs find their messages and the user the command"
  )
  func rejected() async throws {
    try await exec("az", "group", "list").expect(2, "msauth", "group list")
    for words in [["az"], ["az", "--help"], ["azd", "--help"]] {
      try await exec(words).expect(words[0] == "az" ? 2 : 1, "msauth: it supports only ")
    }
    for (words, expected) in [
      ("az login --tenant contoso.onmicrosoft.com --use-device-code", "/contoso.onmicrosoft.com "),
      ("az login --scope https://vault.azure.net/.default", " --scope https://vault.azure.net/.default instead"),
      ("az login -t contoso.onmicrosoft.com", "/contoso.onmicrosoft.com "), ("az logout", "run msauth logout "),
      ("azd auth login", "run msauth login "),
    ] {
      try await exec(words.split(separator: " ").map(String.init)).expect(words.hasPrefix("azd") ? 1 : 2, expected)
    }
    let command =
      "\(try BuiltProducts.msauth) logout -q; az account get-access-token; azd auth token --scope x; az account show"
    let signedOut = try await exec("sh", "-c", command)
    #expect(signedOut.stderr.ranges(of: "Please run 'az login' to setup account.").count == 2, "\(signedOut)")
    #expect(signedOut.stderr.contains("not logged in, run `azd auth login` to login"), "\(signedOut)")
    #expect(signedOut.stderr.ranges(of: "run msauth login --authority ").count == 3, "\(signedOut)")
    #expect(signedOut.stderr.contains(" --scope x instead."), "\(signedOut)")
    // The user's shell doesn't have the store that exec passed on.
    #expect(signedOut.stderr.ranges(of: " --store file").count == 3, "\(signedOut)")
    #expect(!signedOut.stderr.contains("AADSTS") && signedOut.stdout.isEmpty, "\(signedOut)")
  }
}

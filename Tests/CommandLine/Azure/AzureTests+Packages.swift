@testable import DemoProvider
import Foundation
import MSAuthCore
import TestSupport
import Testing

// Docker, pip and uv.
extension AzureTests {
  @Test("setup docker adds the helper to Docker's configuration and keeps the rest, and --remove undoes it")
  func setUpDocker() async throws {
    let docker = try Docker(fixture)
    let home = fixture.home
    try home.write("{", to: Docker.file)
    try await docker.setUp(docker.registry).expect(78, "hint: correct that file")
    try home.write(Docker.otherHelper, to: Docker.file)
    let printed = try await docker.setUp(docker.registry, "--print")
    #expect(try printed.json["credHelpers"]?[docker.registry] == "msauth", "\(printed)")
    try await docker.setUp(docker.registry)
      .expect(0, "Docker can get a token for \(docker.registry)", stdout: printed.stdout)
    #expect(try await docker.setUp(docker.registry).stderr.contains("nothing was written"))
    try await docker.setUp("other.example").expect(78)
    try await docker.setUp("contoso.azurecr.co").expect(64, "--yes")
    let helpers = try home.json(Docker.file)["credHelpers"]
    #expect(helpers?[docker.registry] == "msauth" && helpers?["other.example"] == "other", "\(helpers as Any)")
    #expect(helpers?["contoso.azurecr.co"] == nil, "\(helpers as Any)")

    try await docker.setUp(docker.registry, "--remove").expect(0)
    try await docker.helper("get", input: docker.registry).expect(1, stdout: Docker.notFound)
  }

  @Test("Docker's helper exchanges a token only for configured registries")
  func dockerHelper() async throws {
    let docker = try Docker(fixture)
    try await docker.helper("get", input: docker.registry).expect(1, stdout: Docker.notFound)
    try fixture.home.write(Docker.otherHelper, to: Docker.file)
    try await docker.helper("get", input: docker.registry).expect(1, stdout: Docker.notFound)
    try await docker.setUp(docker.registry).expect(0)
    let credentials = try await docker.helper("get", input: docker.registry + "\n").json
    #expect(credentials["ServerURL"]?.string == docker.registry, "\(credentials)")
    #expect(credentials["Username"] == "00000000-0000-0000-0000-000000000000")
    #expect(credentials["Secret"]?.string?.hasPrefix("demo-acr-") == true)
    let refreshes = await fixture.provider.record.filter { $0["grant_type"] == "refresh_token" }
    let scopes = refreshes.compactMap { $0["scope"] }
    #expect(scopes.contains { $0.contains("containerregistry.azure.net") }, "\(scopes)")
    #expect(!scopes.contains { $0.contains("management.azure.com") }, "\(scopes)")

    try await docker.helper("list")
      .expect(0, stdout: "{\"\(docker.registry)\":\"00000000-0000-0000-0000-000000000000\"}\n")
    try await docker.helper("erase", input: docker.registry).expect(0)
    try await docker.helper("store", input: "{}").expect(1)
    try await docker.helper("get", "x").expect(64)
    try await docker.helper("get", input: "other.example").expect(1, stdout: Docker.notFound)
  }

  @Test("a registry that only another program configured gets no token")
  func foreignRegistry() async throws {
    var docker = try Docker(fixture)
    try fixture.home.write(#"{"credHelpers": {"foreign.example": "msauth"}}"#, to: "other/config.json")
    docker.runner.environment["DOCKER_CONFIG"] = fixture.home.path("other")
    try await docker.helper("get", input: "foreign.example")
      .expect(1, output: "foreign.example isn't confirmed", lacks: "Secret")
  }

  @Test("several setups at the same time keep each other's registries")
  func dockerSetupsAtOnce() async throws {
    let docker = try Docker(fixture)
    try fixture.home.write(Docker.otherHelper, to: Docker.file)
    let setups = #"for i in 1 2 3 4 5 6 7 8 9 10; do "$0" setup docker --yes "r$i.example" & done; wait"#
    _ = try await docker.runner.run(program: ["sh", "-c", setups, BuiltProducts.msauth])
    let helpers = try fixture.home.json(Docker.file)["credHelpers"]?.object
    #expect(helpers?.keys.count { $0.hasSuffix(".example") } == 11, "\(helpers ?? [:])")
    func confirmed() throws -> Int? {
      try fixture.home.json("config/msauth/config.json")["docker_registries"]?.array?.count
    }
    #expect(try confirmed() == 10)
    try await docker.setUp("r1.example", "--remove").expect(0)
    #expect(try confirmed() == 9)
  }

  @Test("after a sign-out, Docker continues without credentials, and setup docker reports it")
  func signedOutDocker() async throws {
    let docker = try Docker(fixture)
    try await docker.setUp(docker.registry).expect(0)
    try await fixture.run("logout").expect(0)
    try await docker.helper("get", input: docker.registry)
      .expect(1, "no account is signed in", "hint: ", stdout: Docker.notFound)
    try await docker.setUp(docker.registry).expect(0, "Docker can't get a token yet: no account is signed in")
    try await docker.setUp(docker.registry, "-q").expect(0, stderr: "")
  }

  @Test("without consent, Docker shows the command to run; a token for Azure is enough")
  func dockerWithoutConsent() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    let docker = try Docker(fixture)
    try fixture.home.write(#"{"credHelpers": {"\#(docker.registry)": "msauth"}}"#, to: Docker.file)
    let scope = "https://management.azure.com/user_impersonation"
    // The variables apply to this command too.
    let login = "run msauth login --extra-scope \(scope)"
    try await docker.helper("get", input: docker.registry).expect(1, output: login)
    #expect(try await docker.setUp(docker.registry).stderr.contains("hint: \(login)"))
    try await fixture.complete(fixture.start(["login", "--extra-scope", scope])).expect(0)
    try await docker.helper("get", input: docker.registry).expect(0)
  }

  @Test("keyring returns the token for Azure Artifacts feeds over https, and runs the user's own keyring for others")
  func keyring() async throws {
    try fixture.home.script(#"echo "own $*""#, to: "bin/keyring")
    let feed = "https://pkgs.dev.azure.com/contoso/_packaging/feed/pypi/simple/"
    let commands = [
      "keyring get \(feed) VssSessionToken", "keyring get https://VssSessionToken@pkgs.dev.azure.com/x VssSessionToken",
      "keyring get pkgs.dev.azure.com VssSessionToken", "keyring get \(feed) --mode creds",
      "keyring --mode=creds --output=json get \(feed)",
      "keyring get http://pkgs.dev.azure.com/x u", "keyring get https://pkgs.dev.azure.com.evil.example/ u",
      "keyring get https://evil.example/@pkgs.dev.azure.com u", "keyring set a b",
      "keyring get 'https://localhost:1?@pkgs.dev.azure.com/simple/' VssSessionToken",
    ]
    let path = "PATH=\"$PATH:\(fixture.home.path("bin"))\"; "
    let outcome = try await exec("sh", "-c", path + commands.joined(separator: "; "))
    let lines = outcome.stdout.split(separator: "\n").map(String.init)
    try #require(lines.count == 11, "\(outcome)")
    #expect(Set(lines[..<3] + [lines[4]]).count == 1 && lines[0].split(separator: ".").count == 3, "\(outcome)")
    #expect(try JSONValue(parsing: lines[5].utf8) == ["username": "VssSessionToken", "password": .string(lines[0])])
    #expect(lines[3] == "VssSessionToken" && lines[6...].allSatisfy { $0.hasPrefix("own ") }, "\(outcome)")
  }

  @Test("keyring programs of two msauth don't run each other endlessly")
  func twoKeyrings() async throws {
    // Another file, as of another version.
    let other = fixture.home.path("home/keyring")
    try FileManager.default.copyItem(atPath: try BuiltProducts.msauth, toPath: other)
    let path = "PATH=\"$PATH:\(fixture.home.path("home"))"
    try await exec("sh", "-c", path + "\"; keyring get https://example.org u").expect(1, stdout: "")
    try fixture.home.script(#"echo "own $*""#, to: "bin/keyring")
    let found = path + ":\(fixture.home.path("bin"))\"; keyring get https://example.org u"
    #expect(try await exec("sh", "-c", found).stdout == "own get https://example.org u\n")
  }

  @Test(
    "pip and uv install from a feed of Azure Artifacts",
    arguments: [["pip", "install", "--no-input"], ["uv", "pip", "install", "--no-cache", "--no-config"]]
  )
  func packageInstallers(_ installer: [String]) async throws {
    var fixture = fixture
    let feed = try BackgroundProgram([try BuiltProducts.python(), try pythonScript("package_feed")])
    let port = try await feed.ready("the feed") {
      feed.stdout.hasSuffix("\n") ? UInt16(feed.stdout.dropLast()) : nil
    }
    let proxy = try await TLSProxy(["pkgs.dev.azure.com": port])
    fixture.runner.environment = proxy.environment
    let directory = fixture.home.path("home/packages")
    let arguments = [
      "--keyring-provider", "subprocess", "--target", directory, "--index-url",
      "https://VssSessionToken@pkgs.dev.azure.com/contoso/_packaging/feed/pypi/simple/", "contoso-tools",
    ]
    let command = [try BuiltProducts.python(installer[0])] + installer.dropFirst() + arguments
    try await fixture.run(["exec", "--azure", "--"] + command).expect(0)
    #expect(FileManager.default.fileExists(atPath: directory + "/contoso_tools.py"))
  }
}

/// Docker's configuration and helper, for the provider as a registry.
private struct Docker {
  static let file = "home/.docker/config.json"
  static let otherHelper = #"{"auths": {}, "credHelpers": {"other.example": "other"}}"#
  static let notFound = "credentials not found in native keychain\n"

  let registry: String
  var runner: CommandRunner

  init(_ fixture: DemoProviderFixture) throws {
    registry = String(fixture.provider.baseURL.dropFirst("http://".utf8.count))
    runner = fixture.runner
    runner.environment = [
      "MSAUTH_CLIENT_ID": fixture.provider.clientID, "MSAUTH_AUTHORITY": fixture.provider.entraAuthority(),
      "MSAUTH_AUTHORITY_TYPE": "aad", "MSAUTH_STORE": "file",
    ]
    try runner.home.link("home/docker-credential-msauth", to: BuiltProducts.msauth)
  }

  func setUp(_ arguments: String...) async throws -> CommandRunner.Outcome {
    try await runner.run(["setup", "docker"] + arguments)
  }

  func helper(_ arguments: String..., input: String = "") async throws -> CommandRunner.Outcome {
    let helper = runner.home.path("home/docker-credential-msauth")
    return try await runner.run(program: ["sh", "-c", #"printf %s "$0" | "$@""#, input, helper] + arguments)
  }
}

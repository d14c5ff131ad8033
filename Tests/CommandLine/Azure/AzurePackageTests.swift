@testable import DemoProvider
import Foundation
import MSAuthCore
import TestSupport
import Testing

// Docker, pip and uv.
extension AzureTests {
  @Test("Docker's helper exchanges a token only for configured registries")
  func docker() async throws {
    let registry = String(fixture.provider.baseURL.dropFirst("http://".utf8.count))
    let helper = fixture.home.path("home/docker-credential-msauth")
    try fixture.home.link("home/docker-credential-msauth", to: BuiltProducts.msauth)
    var runner = fixture.runner
    runner.environment = [
      "MSAUTH_CLIENT_ID": fixture.provider.clientID, "MSAUTH_AUTHORITY": fixture.provider.entraAuthority(),
      "MSAUTH_AUTHORITY_TYPE": "aad", "MSAUTH_STORE": "file",
    ]
    func run(_ arguments: [String], input: String = "") async throws -> CommandRunner.Outcome {
      try await runner.run(program: ["sh", "-c", #"printf %s "$0" | "$@""#, input] + arguments)
    }
    let unknown = try await run([helper, "get"], input: registry)
    #expect(unknown.code == 1 && unknown.stdout == "credentials not found in native keychain\n", "\(unknown)")
    let program = try BuiltProducts.msauth
    try fixture.home.write("{", to: "home/.docker/config.json")
    try await run([program, "setup", "docker", registry]).expect(78, "hint: correct that file")
    try fixture.home.write(#"{"auths": {}, "credHelpers": {"other.example": "other"}}"#, to: "home/.docker/config.json")
    let printed = try await run([program, "setup", "docker", registry, "--print"])
    #expect(try printed.json["credHelpers"]?[registry] == "msauth", "\(printed)")
    let added = try await run([program, "setup", "docker", registry])
    added.expect(0, "Docker can get a token for \(registry)", stdout: printed.stdout)
    #expect(try await run([program, "setup", "docker", registry]).stderr.contains("nothing was written"))
    try await run([program, "setup", "docker", "other.example"]).expect(78)
    let written = try fixture.home.json("home/.docker/config.json")
    #expect(written["credHelpers"]?[registry] == "msauth" && written["credHelpers"]?["other.example"] == "other")
    let credentials = try await run([helper, "get"], input: registry + "\n").json
    #expect(credentials["ServerURL"]?.string == registry, "\(credentials)")
    #expect(credentials["Username"] == "00000000-0000-0000-0000-000000000000")
    #expect(credentials["Secret"]?.string?.hasPrefix("demo-acr-") == true)
    let refreshes = await fixture.provider.record.filter { $0["grant_type"] == "refresh_token" }
    let scopes = refreshes.compactMap { $0["scope"] }
    #expect(scopes.contains { $0.contains("containerregistry.azure.net") }, "\(scopes)")
    #expect(!scopes.contains { $0.contains("management.azure.com") }, "\(scopes)")
    try await run([helper, "get"], input: "other.example").expect(1)
    #expect(try await run([helper, "list"]).stdout == "{\"\(registry)\":\"00000000-0000-0000-0000-000000000000\"}\n")
    try await run([helper, "erase"], input: registry).expect(0)
    try await run([helper, "store"], input: "{}").expect(1)
    try await run([helper, "get", "x"]).expect(64)
    try await run([program, "setup", "docker", "contoso.azurecr.co"]).expect(64, "--yes")
    try await run([helper, "get"], input: "contoso.azurecr.co").expect(1)
    // Another program may write this.
    let foreign = #"{"credHelpers": {"foreign.example": "msauth"}}"#
    try fixture.home.write(foreign, to: "other/config.json")
    runner.environment["DOCKER_CONFIG"] = fixture.home.path("other")
    try await run([helper, "get"], input: "foreign.example")
      .expect(1, output: "foreign.example isn't confirmed", lacks: "Secret")
    runner.environment["DOCKER_CONFIG"] = nil
    let setups = #"for i in 1 2 3 4 5 6 7 8 9 10; do "$0" setup docker --yes "r$i.example" & done; wait"#
    _ = try await runner.run(program: ["sh", "-c", setups, program])
    let helpers = try fixture.home.json("home/.docker/config.json")["credHelpers"]?.object
    #expect(helpers?.keys.count { $0.hasSuffix(".example") } == 11, "\(helpers ?? [:])")
    func confirmed() throws -> Int? {
      try fixture.home.json("config/msauth/config.json")["docker_registries"]?.array?.count
    }
    #expect(try confirmed() == 10)
    try await run([program, "setup", "docker", "r1.example", "--remove"]).expect(0)
    #expect(try confirmed() == 9)
    try await fixture.run("logout").expect(0)
    try await run([helper, "get"], input: registry)
      .expect(1, "no account is signed in", "hint: ", stdout: unknown.stdout)
    try await run([program, "setup", "docker", registry])
      .expect(0, "Docker can't get a token yet: no account is signed in")
    try await run([program, "setup", "docker", registry, "-q"]).expect(0, stderr: "")
    try await run([program, "setup", "docker", registry, "--remove"]).expect(0)
    try await run([helper, "get"], input: registry).expect(1)
  }

  @Test("without consent, Docker shows the command to run; a token for Azure is enough")
  func dockerWithoutConsent() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    let registry = String(fixture.provider.baseURL.dropFirst("http://".utf8.count))
    try fixture.home.write(#"{"credHelpers": {"\#(registry)": "msauth"}}"#, to: "home/.docker/config.json")
    var runner = fixture.runner
    let authority = fixture.provider.entraAuthority()
    runner.environment = [
      "MSAUTH_CLIENT_ID": fixture.provider.clientID, "MSAUTH_AUTHORITY": authority, "MSAUTH_AUTHORITY_TYPE": "aad",
      "MSAUTH_STORE": "file",
    ]
    let get = #"printf %s "$0" | "$@" docker-credential get"#
    let scope = "https://management.azure.com/user_impersonation"
    // The variables apply to this command too.
    let login = "run msauth login --extra-scope \(scope)"
    try await runner.run(program: ["sh", "-c", get, registry, BuiltProducts.msauth]).expect(1, output: login)
    #expect(try await runner.run("setup", "docker", registry).stderr.contains("hint: \(login)"))
    try await fixture.complete(fixture.start(["login", "--extra-scope", scope])).expect(0)
    try await runner.run(program: ["sh", "-c", get, registry, BuiltProducts.msauth]).expect(0)
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

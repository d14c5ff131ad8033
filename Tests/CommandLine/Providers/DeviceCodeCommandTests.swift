import DemoProvider
import TestSupport
import Testing

@Suite("msauth login --device-code", .limitedConcurrency)
struct DeviceCodeCommandTests {
  @Test("msauth login --device-code prints the code, waits for the user, and signs in")
  func command() async throws {
    let fixture = try await CommandFixture()
    let runner = fixture.runner
    let identity = [
      "--client-id", fixture.provider.clientID, "--authority", fixture.provider.oidcIssuer, "--store", "file",
      "--scope", "User.Read",
    ]
    let child = try runner.start(["login", "--use-device-code"] + identity)
    let (page, code) = try await child.printedDeviceCode()
    #expect(page == fixture.provider.publicURL + "/devicelogin")
    #expect(try await ScriptedBrowser().walk(from: page, as: "ada", userCode: code).has("done"))
    let login = try await runner.outcome(of: child)
    #expect(login.code == 0 && login.stdout == "ada@contoso.example\n", "\(login)")
    let token = try await runner.run(["token"] + identity)
    #expect(token.code == 0 && !token.stdout.isEmpty && token.stderr.isEmpty, "\(token)")
  }

  @Test(
    "on a terminal, a QR code encodes the address, with the code if the provider has such an address",
    arguments: [true, false]
  )
  func drawn(_ hasCodeInAddress: Bool) async throws {
    let fixture = try await CommandFixture()
    let runner = fixture.runner
    let child = try runner.startOnTerminal(Self.onTerminal(fixture, isEntra: !hasCodeInAddress))
    let page = fixture.provider.publicURL + "/devicelogin"
    let screen = try await Self.screen(of: child)
    let reader = try ChildProcess(
      ["/bin/sh", "-c", #"exec "$1" "$2" < "$3""#, "sh", try BuiltProducts.python(), Self.reader]
        + [try runner.home.write(screen, to: "data/screen")]
    )
    #expect(try await reader.end() == .exited(0), "\(reader.stderr)")
    guard hasCodeInAddress else {
      child.killGroup()
      return #expect(reader.stdout == page)
    }
    let code = try #require(reader.stdout.split(separator: "=").last.map(String.init))
    #expect(reader.stdout == "\(page)?user_code=\(code)" && screen.contains("or open \(reader.stdout), which"))
    #expect(try await ScriptedBrowser().walk(from: reader.stdout, as: "ada", userCode: code).has("done"))
    let login = try await runner.outcome(of: child)
    #expect(login.code == 0 && login.stdout.hasSuffix("ada@contoso.example\r\n"), "\(login)")
  }

  @Test("on a terminal, the code is shown once, in groups")
  func shownOnce() async throws {
    let fixture = try await CommandFixture()
    let child = try fixture.runner.startOnTerminal(Self.onTerminal(fixture, isEntra: true))
    let lines = try await Self.screen(of: child).split(whereSeparator: \.isNewline).map(String.init)
    child.killGroup()
    let step = try #require(lines.firstIndex { $0.hasSuffix("in any browser and enter the code") }, "\(lines)")
    // Without its color.
    let code = lines[step + 1].replacing("\u{1b}[1m", with: "").replacing("\u{1b}[0m", with: "")
    let groups = code.split(separator: " ").map(String.init)
    #expect(code.hasPrefix("    ") && groups.count == 2 && groups.allSatisfy { $0.utf8.count == 4 }, "\(lines)")
    #expect(lines.count { $0.contains(groups.joined()) } == 0 && lines.count { $0.contains(groups[0]) } == 1)
  }

  @Test("without qrencode, no QR code is drawn")
  func notDrawn() async throws {
    let fixture = try await CommandFixture()
    var runner = fixture.runner
    runner.environment["PATH"] = runner.home.path("data")
    let child = try runner.startOnTerminal(Self.onTerminal(fixture, isEntra: false))
    let screen = try await Self.screen(of: child)
    child.killGroup()
    #expect(screen.contains("in any browser and enter the code") && !screen.contains("█"), "\(screen)")
  }

  private static let reader = BuiltProducts.fixture("qr-reader.py")

  private static func onTerminal(_ fixture: CommandFixture, isEntra: Bool) -> [String] {
    let provider = fixture.provider
    let authority = isEntra ? provider.entraAuthority(tenant: "common") : provider.oidcIssuer
    return [
      "login", "--device-code", "--client-id", provider.clientID, "--authority", authority, "--authority-type",
      isEntra ? "aad" : "oidc", "--store", "file", "--scope", "User.Read",
    ]
  }

  /// The terminal's text while msauth waits.
  private static func screen(of child: ChildProcess) async throws -> String {
    try await eventually("the wait for the code") {
      if let ending = child.ending { throw TestFailure("\(ending): \(child.stdout)") }
      return child.stdout.contains("waiting for the code") ? child.stdout : nil
    }
  }

  @Test("the configured timeout exits 4")
  func timeout() async throws {
    let fixture = try await CommandFixture()
    let runner = fixture.runner
    try runner.home.write(
      """
      {"client_id": "\(fixture.provider.clientID)", "store": "file", "timeout": 0.5, "scopes": ["openid"],
       "authorities": [{"type": "OIDC", "authority_url": "\(fixture.provider.oidcIssuer)"}]}
      """,
      to: "config/msauth/config.json"
    )
    let outcome = try await runner.run("login", "--device-code", by: .after(30))
    #expect(outcome.code == 4 && outcome.stderr.contains("the code was not entered within 1 s"), "\(outcome)")
    #expect(outcome.stderr.contains("timed_out, device_code_not_entered"), "\(outcome)")
    #expect(outcome.stderr.contains("--timeout SECONDS"), "\(outcome)")
  }
}

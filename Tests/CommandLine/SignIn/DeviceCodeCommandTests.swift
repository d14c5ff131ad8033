@testable import DemoProvider
import TestSupport
import Testing

@Suite("msauth login --device-code", .limitedConcurrency)
struct DeviceCodeCommandTests {
  @Test("msauth login --device-code prints the code, waits for the user, and signs in")
  func command() async throws {
    let fixture = try await DemoProviderFixture(isEntra: false)
    let child = try fixture.start(["login", "--use-device-code", "--scope", "User.Read"])
    let (page, code) = try await child.printedDeviceCode()
    #expect(page == fixture.provider.publicURL + "/devicelogin")
    #expect(try await ScriptedBrowser().walk(from: page, as: "ada", userCode: code).has("done"))
    try await fixture.runner.outcome(of: child).expect(0, stdout: ada + "\n")
    let token = try await fixture.run(["token"], as: "ada")
    #expect(token.code == 0 && !token.stdout.isEmpty && token.stderr.isEmpty, "\(token)")
  }

  @Test(
    "on a terminal, a QR code encodes the address, with the code if the provider has such an address",
    arguments: [true, false]
  )
  func drawn(_ hasCodeInAddress: Bool) async throws {
    let fixture = try await DemoProviderFixture(isEntra: !hasCodeInAddress)
    let child = try fixture.startOnTerminal("login", "--device-code")
    let page = fixture.provider.publicURL + "/devicelogin"
    let screen = try await Self.screen(of: child)
    let reader = [try BuiltProducts.python(), BuiltProducts.fixture("qr-reader.py")]
    let file = try fixture.home.write(screen, to: "data/screen")
    let address = try await ChildProcess.output(of: ["/bin/sh", "-c", #"exec "$1" "$2" < "$0""#, file] + reader)
    guard hasCodeInAddress else {
      child.killGroup()
      return #expect(address == page)
    }
    let code = try #require(address.split(separator: "=").last.map(String.init))
    #expect(address == "\(page)?user_code=\(code)" && screen.contains("or open \(address), which"))
    #expect(try await ScriptedBrowser().walk(from: address, as: "ada", userCode: code).has("done"))
    let login = try await fixture.runner.outcome(of: child)
    #expect(login.code == 0 && login.stdout.hasSuffix(ada + "\r\n"), "\(login)")
  }

  @Test("on a terminal, the code is shown once, in groups; without qrencode, no QR code is drawn")
  func shownOnce() async throws {
    var fixture = try await DemoProviderFixture()
    fixture.runner.environment["PATH"] = fixture.home.path("data")
    let child = try fixture.startOnTerminal("login", "--device-code")
    let screen = try await Self.screen(of: child)
    child.killGroup()
    let lines = screen.split(whereSeparator: \.isNewline).map(String.init)
    let step = try #require(lines.firstIndex { $0.hasSuffix("in any browser and enter the code") }, "\(lines)")
    // Without its color.
    let code = lines[step + 1].replacing("\u{1b}[1m", with: "").replacing("\u{1b}[0m", with: "")
    let groups = code.split(separator: " ").map(String.init)
    #expect(code.hasPrefix("    ") && groups.count == 2 && groups.allSatisfy { $0.utf8.count == 4 }, "\(lines)")
    #expect(lines.count { $0.contains(groups.joined()) } == 0 && lines.count { $0.contains(groups[0]) } == 1)
    #expect(!screen.contains("█"), "\(screen)")
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
    let fixture = try await DemoProviderFixture.plain(configuration: #"{"timeout": 0.5}"#)
    try await fixture.run("login", "--device-code")
      .expect(4, "the code wasn't entered within 1 s", "timed_out, device_code_not_entered", "--timeout, such as 10m")
  }
}

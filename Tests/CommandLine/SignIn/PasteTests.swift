import TestSupport
import Testing

@Suite("msauth login --paste", .limitedConcurrency)
struct PasteTests {
  private let fixture: ProviderMockFixture

  init() async throws { fixture = try await ProviderMockFixture() }

  private func start() async throws -> (ChildProcess, String) {
    let child = try fixture.startOnTerminal("login", "--paste", "--scope", "openid", typesMore: true)
    return (child, try await address(child))
  }

  /// The printed URL, once the prompt for the redirected one follows.
  private func address(_ child: ChildProcess) async throws -> String {
    try await eventually("the address and the prompt") {
      guard child.stdout.contains("press Enter") else { return nil }
      return child.stdout.split(whereSeparator: \.isWhitespace).first { $0.contains("state=") }.map(String.init)
    }
  }

  @Test("a pasted URL signs in without echo; a wrong one is rejected with the reason and prompted for again")
  func pastedURL() async throws {
    let (child, url) = try await start()
    let state = try #require(FormFields.query(of: url)["state"])
    let uri = try #require(FormFields.query(of: url)["redirect_uri"])
    // Like a browser that can't reach the listener: it stays at the URL.
    let redirect = try await fixture.provider.submitForm(at: url)
    #expect(redirect.hasPrefix(uri) && redirect.contains("code="))
    let wrong = [
      ("https://evil.example/?code=stolen&state=\(state)", "doesn't begin with \(uri)"),
      ("\(uri)?code=stolen&state=other", "state doesn't match this sign-in"),
    ]
    for (address, reason) in wrong {
      try child.write(address + "\n")
      try await eventually("the reason: \(reason)") { child.stdout.contains(reason) }
    }
    // With a corrected typo, surrounding blanks and the line break of a wrapped terminal.
    try child.write("  \(redirect.prefix(40))\n\(redirect.dropFirst(40))xy\u{7f}\u{7f} \n")
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.code == 0 && outcome.stdout.hasSuffix("\(ProviderMock.username)\r\n"), "\(outcome)")
    for secret in fixture.provider.secrets { #expect(!outcome.stdout.contains(secret), "a secret on the terminal") }
    #expect(!outcome.stdout.contains("stolen") && !fixture.provider.proxy.transcript.contains("stolen"))
    #expect(outcome.stdout.contains("don't share it"))
    #expect(try await fixture.run("status").stdout == ProviderMock.username + "\n")
  }

  @Test("after five wrong URLs the prompt ends, and the browser's redirect still works")
  func tooMany() async throws {
    let (child, url) = try await start()
    for attempt in 1...5 {
      try child.write("wrong\n")
      try await eventually("rejection \(attempt)") {
        child.stdout.ranges(of: "doesn't start with http:// or https://").count >= attempt
      }
    }
    try await eventually("the end of the prompt") { child.stdout.contains("no further address is accepted") }
    _ = try await fixture.provider.signIn(at: url)
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.code == 0 && outcome.stdout.hasSuffix("\(ProviderMock.username)\r\n"), "\(outcome)")
  }

  @Test("the terminal echoes again afterwards, also after Ctrl-C", arguments: [false, true])
  func terminalModes(isInterrupted: Bool) async throws {
    let program = try fixture.home.script(
      """
      trap : INT
      \(try BuiltProducts.msauth) login --paste \(fixture.identity.joined(separator: " ")) --scope openid
      echo "ended $?"; stty -a
      """,
      to: "program"
    )
    let child = try fixture.runner.startOnTerminal([], of: program, typesMore: true)
    let url = try await address(child)
    if isInterrupted {
      try child.write("\u{3}")
    } else {
      try child.write(try await fixture.provider.submitForm(at: url) + "\n")
    }
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.stdout.contains(isInterrupted ? "ended 130" : "ended 0"), "\(outcome)")
    #expect(outcome.stdout.contains(" echo ") && outcome.stdout.contains(" icanon "), "\(outcome)")
  }

  @Test("without a terminal it is a usage error")
  func noTerminal() async throws {
    try await fixture.run("login", "--paste").expect(64, "--paste requires a terminal")
  }
}

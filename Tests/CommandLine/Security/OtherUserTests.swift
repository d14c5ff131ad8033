import TestSupport
import Testing

/// Attacks by another local user who knows everything, even the `state`; PeerCheckTests proves the rules.
@Suite(
  "another local user at the listener",
  .enabled(if: geteuid() == 0, "needs root to become another user"),
  .limitedConcurrency
)
struct OtherUserTests {
  /// Sends requests as another user, and returns all responses.
  private func attack(
    from address: String = "127.0.0.1",
    as user: UInt32,
    port: UInt16,
    _ targets: [String]
  ) async throws -> String {
    let script = """
      import socket, sys
      port, address, targets = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
      for target in targets:
          peer = socket.create_connection(("127.0.0.1", port), 60, (address, 0))
          peer.sendall(f"GET {target} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n\\r\\n".encode())
          while response := peer.recv(4096):
              sys.stdout.write(response.decode())
      """
    let command = ["/usr/bin/python3", "-c", script, "\(port)", address] + targets
    let output = try await ChildProcess.output(of: ChildProcess.becoming(user) + command)
    let (responses, rejections) = (output.ranges(of: "HTTP/1.1 "), output.ranges(of: "HTTP/1.1 403 "))
    #expect(responses.count == targets.count && rejections.count == targets.count, "\(output)")
    return output
  }

  @Test(
    "another user's code, error, or browser link has no effect, and the victim signs in",
    arguments: [("127.0.0.1", 12_002), ("127.0.0.2", 65_534)] as [(String, UInt32)]
  )
  func signIn(from address: String, user: UInt32) async throws {
    let fixture = try await ProviderMockFixture()
    let browser = try fixture.home.writeBrowser(to: "seen")
    let login = try await fixture.startLogin("-vv", "--browser", browser)
    let link = try await eventually("the browser") { fixture.home.read("seen") }
    let path = try #require(link.split(separator: "\n").first?.split(separator: "/", maxSplits: 2).last)
      .drop { $0 != "/" }
    let targets = ["/?code=stolen&state=\(login.state)", "/?error=access_denied&state=\(login.state)", String(path)]
    let responses = try await attack(from: address, as: user, port: login.port, targets)
    #expect(!responses.contains("Location"), "\(responses)")
    #expect(login.child.ending == nil, "the attack ended the sign-in: \(login.child.stderr)")

    #expect(try await fixture.provider.signIn(at: login.url).page.body.contains("Signed in as"))
    let outcome = try await fixture.runner.outcome(of: login.child).expect(0, stdout: ProviderMock.username + "\n")
    #expect(!fixture.provider.proxy.transcript.contains("stolen"), "the attacker's code was sent to the provider")
    var notices = ["another user, with the ID \(user)"]
    // The user is known if the attacker still holds the connection when it is accepted.
    if address != "127.0.0.1" { notices.append("from another address, or from a socket that no") }
    #expect(notices.contains(where: outcome.stderr.contains), "the attack isn't reported: \(outcome)")
  }

  @Test("another user gets no ID token from the sign-out link, and can't forge the confirmation")
  func signOut() async throws {
    let fixture = try await ProviderMockFixture()
    try await fixture.signIn()
    let logout = try await PendingLogin(fixture.start(["logout", "--from-browser", "--no-browser", "-vv"]))
    let hint = try #require(logout.parameters["id_token_hint"])
    let path = try #require(logout.printed.split(separator: "/", maxSplits: 2).last).drop { $0 != "/" }
    let targets = [String(path), "/?state=\(logout.state)"]
    let responses = try await attack(as: 12_002, port: logout.port, targets)
    #expect(!responses.contains(hint) && !responses.contains("Location"), "\(responses)")
    #expect(logout.child.ending == nil, "the attack ended the sign-out: \(logout.child.stderr)")

    try await logout.complete()
    try await fixture.runner.outcome(of: logout.child).expect(0, "the provider confirmed the sign-out")
  }

  @Test("a server of another user gets no token", arguments: ["127.0.0.1", "localhost", "127.9.8.7"])
  func receiver(_ host: String) async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let script = """
      import socket
      server = socket.create_server((socket.gethostbyname("\(host)"), 0))
      print(server.getsockname()[1], flush=True)
      peer, _ = server.accept()
      print(peer.recv(65536), flush=True)
      """
    let server = try ChildProcess(ChildProcess.becoming(12_002) + ["/usr/bin/python3", "-c", script])
    defer { server.killGroup() }
    let port = try await server.firstLine()
    try await fixture.run("graph", "me", "--endpoint", "http://\(host):\(port)")
      .expect(78, "another local user (12002)")
    let origin = "http://\(host):\(port)"
    let git = [try BuiltProducts.msauth, "git-credential", "get", "--host", origin] + fixture.identity
    let input = "protocol=http\nhost=\(host):\(port)\n\n"
    try await fixture.runner.run(program: ["sh", "-c", #"printf %s "$0" | "$@""#, input] + git)
      .expect(78, stdout: "quit=1\n")
    try await fixture.runner.run("mcp", "token", origin + "/mcp", "--store", "file").expect(78, stdout: "")
    #expect(server.stdout == port + "\n")
  }
}

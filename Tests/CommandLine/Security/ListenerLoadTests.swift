import TestSupport
import Testing

@Suite("connection floods at the listener", .limitedConcurrency)
struct ListenerLoadTests {
  /// Each load of `listener-attack.c` and its connections: fewer than the listener's limit, so that none is evicted.
  private static let kinds = [
    ("silent", 400), ("slow", 400), ("junk", 64), ("head", 64), ("body", 64), ("chunked", 64), ("pipeline", 64),
    ("reset", 64),
  ]

  /// How many kilobytes a load may add; sanitizers, which keep freed memory, need more (`MSAUTH_TEST_LISTENER_MEMORY`).
  private static let memory =
    ProcessInfo.processInfo.environment["MSAUTH_TEST_LISTENER_MEMORY"].flatMap { Int($0) } ?? 24_000

  /// The process's peak memory in kilobytes.
  private static func peak(of process: pid_t) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
  }

  @Test(
    "a flood doesn't end the sign-in or use much memory, and the right redirect is still accepted",
    arguments: [[kinds[0]], kinds.map { ($0.0, $0.1 / 8) }]
  )
  func flood(load: [(String, Int)]) async throws {
    let fixture = try await ProviderMockFixture()
    let program = try await CompiledFixture.compiling("listener-attack.c", "-O1")
    let login = try await fixture.startLogin()
    defer { login.child.killGroup() }
    let before = try Self.peak(of: login.child.pid)
    var attacks: [ChildProcess] = []
    defer { for attack in attacks { attack.killGroup() } }
    for (kind, connections) in load {
      // It ends with the listener.
      let attack = try ChildProcess([program.path, kind, "\(login.port)", "\(connections)", "0", "60"])
      attacks.append(attack)
      #expect(try await attack.firstLine() == "begun")
    }
    let right = try await fixture.provider.submitForm(at: login.url)
    for _ in 0..<5 {
      let response = try await login.probe.send("GET /?state=wrong HTTP/1.1", ["Host: 127.0.0.1:\(login.port)"])
      #expect(response.hasPrefix("HTTP/1.1 400 "), "\(response)")
    }
    let growth = try Self.peak(of: login.child.pid) - before
    #expect(growth < Self.memory, "\(growth) KB")
    #expect(try await RedirectChain.from(right).page.body.contains("Signed in as"))
    try await fixture.runner.outcome(of: login.child).expect(0, stdout: ProviderMock.username + "\n")
    for attack in attacks { #expect(try await attack.end() == .exited(0), "\(attack.stderr)") }
    #expect(!fixture.provider.proxy.transcript.contains("stolen"), "the attacker's code was sent to the provider")
  }
}

import MSAuth
import Synchronization
import TestSupport
import Testing

@testable import msauth

@Suite("msauth login --via: the remote end's silence")
struct RelayClientTests {
  @Test("has no limit while the user is prompted")
  func prompted() async throws {
    let ssh = try ScriptedSSH(
      #"""
      echo '{"msauth_relay":2}'; read begin
      echo '{"confirm":{"statement":"x"}}'; read answer
      echo "{\"version\":1,\"received\":$answer}"
      """#
    )
    let environment = ssh.home.environment.merging(ssh.environment) { $1 }
    let running = Mutex<RelayClient?>(nil)
    let deadlines = Mutex<[ContinuousClock.Instant?]>([])
    let login = try await RelayClient(
      SSHDestination(argument: "remote"),
      [],
      agent: LocalUserAgent(environment: environment),
      environment: environment
    ) { _ in
      let deadline = await running.withLock(\.self)?.silenceDeadline
      deadlines.withLock { $0.append(deadline) }
      return true
    }
    running.withLock { $0 = login }
    #expect(await login.silenceDeadline != nil)
    let result = try await login.run()
    #expect(deadlines.withLock(\.self) == [nil])
    #expect(result["received"]?["confirmed"]?["answer"] == true, "\(result)")
    #expect(await login.silenceDeadline != nil)
  }
}

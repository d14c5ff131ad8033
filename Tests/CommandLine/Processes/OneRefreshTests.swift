import DemoProvider
import Foundation
import Glibc
import Core
import TestSupport
import Testing

@Suite("one refresh among many processes", .serialized)
struct OneRefreshTests {
  /// As the issue has it.
  static let crowd = 50

  @Test("50 processes on an expired token: one token request, 50 times the same token")
  func crowd() async throws {
    let bench = try await DemoBench(DemoOptions(rotates: true))
    try await bench.signIn()
    try bench.expireAccessTokens()
    let before = try bench.secrets("RefreshToken")
    await bench.provider.forgetRecord()

    let outcomes = try await atOnce(Self.crowd) { try await bench.run("token") }
    #expect(outcomes.allSatisfy { $0.code == 0 && $0.stderr.isEmpty }, "\(outcomes.filter { $0.code != 0 })")
    #expect(Set(outcomes.map(\.stdout)).count == 1)
    #expect(outcomes.first?.stdout.hasPrefix("demo-at-") == true)
    #expect(await bench.grants() == ["refresh_token"])
    // The refresh token was accepted once; what is stored now is its successor.
    #expect(try bench.secrets("RefreshToken").isDisjoint(with: before))
    #expect(try await bench.run("token", "--force-refresh").code == 0)
    #expect(bench.home.files(below: "state/msauth") == ["token_cache.json"])
  }

  @Test("the same while the lock's owner is killed: all the others finish")
  func ownerKilled() async throws {
    let bench = try await DemoBench(DemoOptions(rotates: true))
    try await bench.signIn()
    try bench.expireAccessTokens()
    await bench.provider.forgetRecord()
    // A program that locks as MSAL Python does: it creates the file, writes its process id, and here it hangs.
    let lockFile = bench.home.path(DemoBench.cacheFile + ".lockfile")
    let owner = try ChildProcess(
      ["/bin/sh", "-c", #"set -C; printf '%s sh' $$ > "$1"; echo held; exec sleep 600"#, "sh", lockFile],
      environment: bench.home.environment
    )
    _ = try await eventually("the lock") { owner.stdout == "held\n" ? true : nil }

    let children = try (0..<Self.crowd).map { _ in try bench.start(["token"]) }
    // They wait for the lock, all of them, and then its owner dies.
    try await Task.sleep(for: .milliseconds(300))
    #expect(children.allSatisfy { $0.ending == nil })
    owner.signal(SIGKILL)
    _ = try await owner.end()

    var outcomes: [CommandRunner.Outcome] = []
    for child in children { outcomes.append(try await bench.runner.outcome(of: child)) }
    #expect(outcomes.allSatisfy { $0.code == 0 }, "\(outcomes.filter { $0.code != 0 })")
    #expect(Set(outcomes.map(\.stdout)).count == 1)
    #expect(await bench.grants() == ["refresh_token"])
    #expect(!FileManager.default.fileExists(atPath: lockFile))
  }

  @Test("a refresh token that another program has used and replaced meanwhile is not the end")
  func replacedMeanwhile() async throws {
    let bench = try await DemoBench(DemoOptions(rotates: false))
    try await bench.signIn()
    try bench.expireAccessTokens()
    let good = try #require(try bench.secrets("RefreshToken").first)
    try bench.change("RefreshToken") { $0["secret"] = "used-by-another-program" }
    await bench.provider.forgetRecord()

    let child = try bench.start(["token"])
    _ = try await eventually("the refused request") { await bench.grants().isEmpty ? nil : true }
    try bench.change("RefreshToken") { $0["secret"] = .string(good) }
    let outcome = try await bench.runner.outcome(of: child)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(await bench.grants() == ["refresh_token", "refresh_token"])
  }

  @Test("a refresh token that was withdrawn needs a person; the account stays listed, nothing is lost")
  func withdrawn() async throws {
    let bench = try await DemoBench(DemoOptions(faults: [.refreshInvalidGrant]))
    try await bench.signIn()
    try bench.expireAccessTokens()
    await bench.provider.forgetRecord()
    let before = try bench.cache()
    func entries(_ cache: JSON) -> JSON.Object? { cache.object?.filter { $0.key != "msauth" } }

    let outcome = try await bench.run("token")
    #expect(outcome.code == 2 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(await bench.grants() == ["refresh_token"])
    #expect(try entries(bench.cache()) == entries(before))

    // The same request is not worth sending again at once, from whatever process.
    #expect(try await bench.run("token").code == 2)
    #expect(await bench.grants() == ["refresh_token"])
    #expect(try await bench.run("accounts").stdout == "ada@contoso.example\n")
    #expect(try await bench.run("status").stdout == "ada@contoso.example\n")
  }

  @Test("the new refresh token is on disk when the access token comes out, and not when the disk refuses it")
  func storedFirst() async throws {
    let bench = try await DemoBench(DemoOptions(rotates: true))
    try await bench.signIn()
    for _ in 0..<3 {
      let before = try bench.secrets("RefreshToken")
      let child = try bench.start(["token", "--force-refresh"])
      _ = try await eventually("the token") { child.stdout.hasSuffix("\n") ? true : nil }
      #expect(try bench.secrets("RefreshToken").isDisjoint(with: before))
      #expect(try bench.secrets("AccessToken") == [String(child.stdout.dropLast())])
      #expect(try await child.end() == .exited(0))
    }
  }

  @Test("Ctrl-C during the request keeps what the provider answers, since the old refresh token is used up")
  func interrupted() async throws {
    let bench = try await DemoBench(DemoOptions(rotates: true))
    try await bench.signIn()
    for _ in 0..<5 {
      try bench.expireAccessTokens()
      await bench.provider.forgetRecord()
      let child = try bench.start(["token"])
      _ = try await eventually("the request") { await bench.grants().isEmpty && child.ending == nil ? nil : true }
      child.signal(SIGINT)
      _ = try await child.end()
      #expect(try await bench.run("token", "--force-refresh").code == 0)
    }
  }
}

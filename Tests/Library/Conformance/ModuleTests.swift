import DemoProvider
import MSAuth
import Testing
import TokenCache

@Suite("the conformance suite's modules for clients")
struct ModuleTests {
  @Test("a module is passed", arguments: Module.all, InteractiveTokenParameters.ResponseMode.allCases)
  func module(_ module: Module, _ mode: InteractiveTokenParameters.ResponseMode) async throws {
    // A refresh must begin with a sign-in that nothing is wrong with.
    let beginsWell = if case .refresh = module.script { true } else { false }
    try await withBench(beginsWell ? [] : module.faults, algorithm: module.algorithm, face: module.face) {
      $0.usesDPoP = module.usesDPoP
    } _: { bench in
      let verdict: Module.Verdict
      do {
        verdict = try await play(module, mode, bench)
      } catch let error as AuthenticationError where error.code == .canceled {
        verdict = .ignores(bench.ignored.all.first ?? "no reason was told")
      } catch let error as AuthenticationError {
        verdict = .refuses(error.reason ?? error.code.rawValue)
      }
      #expect(verdict == module.verdict)
      let record = await bench.provider.record
      switch module.verdict {
      case .completes, .signsOut: break
      case .ignores:
        #expect(!record.contains { $0.path.hasSuffix("/token") }, "the code was sent")
        fallthrough
      case .refuses:
        // The suite's own measure: what a client does next.
        let mayAskUserinfo = module.faults.contains(.scopeUserinfoClaims)
        #expect(!record.contains { $0.bearer != nil && !(mayAskUserinfo && $0.path == "/oidc/userinfo") })
        if !beginsWell { #expect(await bench.storeIsEmpty) }
      }
      if let evidence = module.evidence { #expect(evidence.holds(record), "not seen: \(evidence.words)") }
    }
  }

  private func play(
    _ module: Module,
    _ mode: InteractiveTokenParameters.ResponseMode,
    _ bench: Bench
  ) async throws -> Module.Verdict {
    switch module.script {
    case .signIn:
      return try await used(bench.signIn(mode), bench)
    case .signInWithin(let seconds):
      return try await used(bench.signIn(mode) { $0.maxAge = seconds }, bench)
    case .signInTwice:
      #expect(try await used(bench.signIn(mode), bench) == .completes)
      return try await used(bench.signIn(mode), bench)
    case .askForNothing:
      return try await used(
        bench.signIn(mode) {
          $0.prompt = InteractiveTokenParameters.Prompt.none
          $0.maxAge = 0
        },
        bench
      )
    case .refresh:
      let account = try await bench.signIn(mode).account
      let stored = try await bench.store.load()
      await bench.provider.set(faults: module.faults)
      do {
        return try await used(bench.renew(account), bench)
      } catch {
        #expect(try await bench.store.load() == stored, "the poisoned answer left its trace")
        throw error
      }
    case .signOut:
      let account = try await bench.signIn(mode).account
      var parameters = SignOutParameters()
      parameters.fromBrowser = true
      let report = try await bench.application.signOut(account, with: parameters)
      #expect(try await bench.application.accounts().isEmpty)
      return .signsOut(report.browser)
    }
  }

  /// Does what a client does with a token.
  private func used(_ token: TokenResult, _ bench: Bench) async throws -> Module.Verdict {
    let statuses = try await bench.use(token)
    #expect(statuses == [200, 200])
    #expect(token.account.username == "ada@contoso.example")
    return .completes
  }
}

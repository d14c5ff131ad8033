@testable import DemoProvider
import MSAuth
import MSAuthCache
import TestSupport
import Testing

@Suite("the conformance suite's modules for clients", .limitedConcurrency)
struct ConformanceTests {
  @Test("a module passes", arguments: ConformanceModule.all.flatMap { module in module.modes.map { (module, $0) } })
  func module(_ module: ConformanceModule, _ mode: ResponseMode) async throws {
    // A refresh needs a valid sign-in first.
    let isRefresh = if case .refresh = module.script { true } else { false }
    let fixture = try await ApplicationFixture(
      isRefresh ? [] : module.faults,
      algorithm: module.algorithm,
      kind: module.kind
    ) { $0.usesDPoP = module.usesDPoP }
    let outcome: ConformanceModule.Expectation
    do {
      outcome = try await play(module, mode, fixture)
    } catch let error as AuthenticationError where error.code == .canceled {
      outcome = .ignores(fixture.ignored.all.first ?? "no reason was reported")
    } catch let error as AuthenticationError {
      outcome = .rejects(error.reason?.rawValue ?? error.code.rawValue)
    }
    #expect(outcome == module.outcome)
    let record = await fixture.provider.record
    switch module.outcome {
    case .completes, .signsOut: break
    case .ignores:
      #expect(!record.contains { $0.path.hasSuffix("/token") }, "the code was sent")
      fallthrough
    case .rejects:
      // The suite's own criterion: the client's next requests.
      let mayReadUserinfo = module.faults.contains(.scopeUserinfoClaims)
      #expect(!record.contains { $0.headerToken != nil && !(mayReadUserinfo && $0.path == "/oidc/userinfo") })
      if !isRefresh { #expect(await fixture.storeIsEmpty) }
    }
    if let evidence = module.evidence { #expect(evidence.holds(record), "not seen: \(evidence.words)") }
  }

  private func play(
    _ module: ConformanceModule,
    _ mode: ResponseMode,
    _ fixture: ApplicationFixture
  ) async throws -> ConformanceModule.Expectation {
    switch module.script {
    case .signIn:
      return try await used(fixture.signIn(mode), fixture)
    case .maxAge:
      return try await used(fixture.signIn(mode) { $0.interaction?.maxAge = .seconds(60) }, fixture)
    case .twice:
      #expect(try await used(fixture.signIn(mode), fixture) == .completes)
      return try await used(fixture.signIn(mode), fixture)
    case .promptNone:
      let token = try await fixture.signIn(mode) {
        $0.interaction?.prompt = .noInteraction
        $0.interaction?.maxAge = .zero
      }
      return try await used(token, fixture)
    case .refresh:
      let account = try await fixture.signIn(mode).account
      let stored = try await fixture.store.load()
      await fixture.provider.set(faults: module.faults)
      do {
        return try await used(fixture.renew(account), fixture)
      } catch {
        // The rejection may be stored, but none of the tokens.
        var after = try await fixture.store.load()
        after.clearThrottled()
        #expect(after == stored, "the invalid response was stored")
        throw error
      }
    case .signOut:
      let account = try await fixture.signIn(mode).account
      var parameters = SignOutParameters()
      parameters.fromBrowser = true
      parameters.timeout = .seconds(120)
      // After an ignored redirect the application keeps waiting, so cancel it.
      let ignored = OneShot<Void>()
      parameters.onEvent = { event in
        switch event {
        case .ignored, .refused: ignored.resume()
        default: break
        }
      }
      let waiting = Task { [parameters] in try await fixture.application.signOut(account, with: parameters) }
      let watching = Task {
        try await ignored.value()
        waiting.cancel()
      }
      defer { watching.cancel() }
      let report = try await waiting.value
      #expect(try await fixture.application.accounts().isEmpty)
      return .signsOut(report.browser)
    }
  }

  /// Uses a token as clients do.
  private func used(_ token: TokenResult, _ fixture: ApplicationFixture) async throws -> ConformanceModule.Expectation {
    let statuses = try await fixture.use(token)
    #expect(statuses == [200, 200])
    #expect(token.account.username == "ada@contoso.example")
    return .completes
  }
}

@Suite("the table of the conformance suite's modules")
struct TableTests {
  private static let path = #filePath.replacing("ConformanceTests.swift", with: "CONFORMANCE.md")
  private static let command = "MSAUTH_WRITE_CONFORMANCE=1 swift test --filter TableTests"

  @Test("CONFORMANCE.md matches the tests")
  func table() throws {
    let expected = Self.document
    if ProcessInfo.processInfo.environment["MSAUTH_WRITE_CONFORMANCE"] != nil {
      try Data(expected.utf8).write(to: URL(filePath: Self.path))
    }
    let found = try String(contentsOf: URL(filePath: Self.path), encoding: .utf8)
    #expect(found == expected, "regenerate it with: \(Self.command)")
  }

  @Test("the table has every module once, and at least sixty")
  func modules() {
    let names = ConformanceModule.all.flatMap(\.names)
    #expect(Set(names).count == names.count)
    #expect(names.count >= 60)
    let omitted = Set(omittedModules.flatMap(\.names).map { "\(Plan.basic.prefix)-\($0)" })
    #expect(omitted.isDisjoint(with: names))
  }

  private static var document: String {
    var lines = [
      "# Conformance",
      "",
      "The modules have the names of the [OpenID Foundation's conformance suite](https://gitlab.com/openid/conformance-suite)",
      "for clients. `ConformanceTests` runs each of them with the real application and a provider with the suite's faults,",
      "in both response modes if the fault is in the redirect. As in the suite, the client's next requests decide.",
      "",
      "* *completes*: the client uses its token at userinfo and at the resource.",
      "* *rejects*: the client fails with that reason, sends no token, and stores nothing.",
      "* *ignores the redirect*: the client doesn't exchange the code, and keeps waiting.",
      "",
      "This isn't a certification. Generated by `\(command)`; a test fails if it is out of date.",
    ]
    for plan in Plan.allCases {
      lines += ["", "## \(plan.rawValue)", "", "| module | by | outcome |", "|---|---|---|"]
      for module in ConformanceModule.all where module.plan == plan {
        let modes = module.modes.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        lines.append("| \(module.names.joined(separator: "<br>")) | \(modes) | \(module.outcome) |")
      }
    }
    lines += ["", "## Modules that don't apply", "", "| module | why |", "|---|---|"]
    for (why, names) in omittedModules { lines += names.map { "| \(Plan.basic.prefix)-\($0) | \(why) |" } }
    return lines.joined(separator: "\n") + "\n"
  }
}

@testable import DemoProvider
import MSAuth
import TestSupport
import Testing

/// A way to make `msauth` fail, and its expected output.
struct FailingCommand: Sendable, CustomTestStringConvertible {
  let code: AuthenticationError.Code
  let exit: Int32
  let command: String
  /// Users who sign in before the command.
  let signedIn: [String]
  /// The provider's fault during the command.
  let fault: Fault?
  private(set) var reason: String?
  /// Excerpts of the message and the hint.
  private(set) var excerpts: [String] = []

  var testDescription: String { "\(code.rawValue): \(command)" }

  private init(
    _ code: AuthenticationError.Code,
    _ exit: Int32,
    _ command: String,
    as signedIn: [String] = [],
    fault: Fault? = nil
  ) {
    (self.code, self.exit, self.command, self.signedIn, self.fault) = (code, exit, command, signedIn, fault)
  }

  private func printing(_ excerpts: String..., reason: String? = nil) -> FailingCommand {
    var failure = self
    (failure.excerpts, failure.reason) = (excerpts, reason)
    return failure
  }

  static let all: [FailingCommand] = [
    FailingCommand(.interactionRequired, 2, "token --force-refresh", as: ["ada"], fault: .refreshBadToken)
      .printing("sign in again", "invalid_grant", "hint: run msauth login"),
    FailingCommand(.interactionRequired, 2, "token --www-authenticate STEP-UP", as: ["ada"])
      .printing("newer or stronger sign-in", "hint: run msauth token", "--interactive\n"),
    FailingCommand(.userCanceled, 3, "login", fault: .accessDenied).printing("denied", "hint:"),
    FailingCommand(.serverDeclinedScopes, 1, "login", fault: .tokenScopeNarrowed)
      .printing("didn't grant User.Read", "hint: ada@contoso.example is signed in for the rest"),
    FailingCommand(.accountRequired, 2, "token")
      .printing("no account is signed in", "hint: run msauth login", reason: "no_account"),
    FailingCommand(.ambiguousAccount, 7, "token", as: ["ada", "grace"])
      .printing("2 accounts", ada, grace, "hint: name one with --account"),
    FailingCommand(.timedOut, 4, "login --timeout 0.005m")
      .printing("no response from the browser", "hint:", "--timeout", reason: "no_redirect"),
    FailingCommand(.providerUnreachable, 5, "token --force-refresh", as: ["ada"], fault: .token429RetryAfter)
      .printing("429", "hint: try again in 7 s"),
    FailingCommand(.serverError, 1, "login", fault: .invalidClient).printing("invalid_client", "hint:"),
    FailingCommand(.invalidResponse, 1, "login", fault: .invalidIss)
      .printing("ID token", "id_token_issuer_mismatch", "hint:"),
    FailingCommand(.storeUnavailable, 6, "accounts --cache-file /proc/self/mem").printing("/proc/self/mem"),
    FailingCommand(.listenerFailed, 1, "login --redirect-uri http://127.0.0.1:PORT/")
      .printing("PORT", "hint: stop the program"),
    FailingCommand(.invalidConfiguration, 78, "login --config /nonexistent/config.json")
      .printing("/nonexistent/config.json doesn't exist"),
    FailingCommand(.invalidParameter, 64, "token --www-authenticate Basic").printing("--www-authenticate", "hint:"),
  ]
}

@Suite("error output", .limitedConcurrency)
struct FailingCommandTests {
  @Test("a failure prints its message, code and hint, and the same as JSON", arguments: FailingCommand.all)
  func explained(_ failure: FailingCommand) async throws {
    let fixture = try await DemoProviderFixture.plain(signedIn: failure.signedIn)
    if failure.code == .ambiguousAccount {
      // Without a current account.
      try fixture.home.removeMap("msauth")
    }
    await fixture.provider.set(faults: Set([failure.fault].compactMap(\.self)))
    let port = fixture.provider.baseURL.split(separator: ":").last.map(String.init) ?? ""
    let stepUp = #"Bearer error="insufficient_user_authentication", max_age="5""#
    func filled(_ text: String) -> String {
      text.replacing("PORT", with: port).replacing("STEP-UP", with: stepUp)
    }

    let words = failure.command.split(separator: " ").map { filled(String($0)) }
    let outcome = try await fixture.run(words + ["--json"], as: "ada")
      .expect(failure.exit, "msauth: code \(failure.code.rawValue)")
    let error = try #require(try outcome.json["error"], "\(outcome)")
    #expect(error["exit"]?.integer == Int64(failure.exit), "\(outcome)")
    #expect(error["code"]?.string == failure.code.rawValue, "\(outcome)")
    #expect(failure.reason == nil || error["reason"]?.string == failure.reason, "\(outcome)")
    let message = try #require(error["message"]?.string)
    #expect(!message.isEmpty && outcome.stderr.contains("msauth: error: \(message)\n"), "\(outcome)")
    if let hint = error["hint"]?.string {
      #expect(!hint.isEmpty && outcome.stderr.contains("hint: \(hint)"), "\(outcome)")
    }
    for words in failure.excerpts { #expect(outcome.stderr.contains(filled(words)), "\(words): \(outcome)") }
    // Names of Swift types and values don't belong in messages.
    for name in ["Error(", "MSAuth.", "OAuthError", "Optional(", "Swift.", "(with:)", "(_:"] {
      #expect(!outcome.stderr.contains(name), "\(outcome)")
    }
    // Plain providers receive no correlation ID, so the message has none.
    #expect(!outcome.stderr.contains("correlation id"), "\(outcome)")
    let lines = outcome.stderr.split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("msauth: ") }, "\(outcome)")
  }

  @Test("a command or a library test provokes every error code")
  func complete() {
    let inLibrary: Set<AuthenticationError.Code> = [.canceled, .internalError]
    #expect(Set(AuthenticationError.Code.allCases).subtracting(FailingCommand.all.map(\.code)) == inLibrary)
  }
}

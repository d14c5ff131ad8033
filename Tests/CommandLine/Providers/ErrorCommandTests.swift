import DemoProvider
import MSAuth
import TestSupport
import Testing

/// A way to make `msauth` fail, and its expected output.
struct Failure: Sendable, CustomTestStringConvertible {
  var code: AuthenticationError.Code
  var exit: Int32
  /// The provider's faults during the command.
  var faults: Set<Fault>
  /// Users who sign in before the command.
  var signedIn: [String]
  var command: [String]
  /// Whether the current account is removed from the cache.
  var forgetsCurrent: Bool
  /// Excerpts of the message and the hint.
  var excerpts: [String] = []

  var testDescription: String { "\(code.rawValue): \(command.joined(separator: " "))" }

  init(
    _ code: AuthenticationError.Code,
    _ exit: Int32,
    _ command: [String],
    signedIn: [String] = [],
    faults: Set<Fault> = [],
    forgetsCurrent: Bool = false
  ) {
    (self.code, self.exit, self.command, self.signedIn) = (code, exit, command, signedIn)
    (self.faults, self.forgetsCurrent) = (faults, forgetsCurrent)
  }

  private func printing(_ excerpts: String...) -> Failure {
    var failure = self
    failure.excerpts = excerpts
    return failure
  }

  private static let stepUp = #"Bearer error="insufficient_user_authentication", max_age="5""#

  static let all: [Failure] = [
    Failure(.interactionRequired, 2, ["token", "--force-refresh"], signedIn: ["ada"], faults: [.refreshBadToken])
      .printing("sign in again", "invalid_grant", "hint: run msauth login"),
    Failure(.interactionRequired, 2, ["token", "--www-authenticate", stepUp], signedIn: ["ada"])
      .printing("newer or stronger sign-in", "hint: add --interactive"),
    Failure(.userCanceled, 3, ["login"], faults: [.accessDenied]).printing("denied", "hint:"),
    Failure(.serverDeclinedScopes, 1, ["login"], faults: [.tokenScopeNarrowed])
      .printing("did not grant User.Read", "hint: ada@contoso.example is signed in for the rest"),
    Failure(.accountRequired, 2, ["token"]).printing("no account is signed in", "hint: run msauth login"),
    Failure(.ambiguousAccount, 7, ["token"], signedIn: ["ada", "grace"], forgetsCurrent: true)
      .printing("2 accounts", "ada@contoso.example", "grace@outlook.example", "hint: name one with --account"),
    Failure(.timedOut, 4, ["login", "--timeout", "0.3"]).printing("no response from the browser", "hint:", "--timeout"),
    Failure(.providerUnreachable, 5, ["token", "--force-refresh"], signedIn: ["ada"], faults: [.token429RetryAfter])
      .printing("429", "hint: try again in 7 seconds"),
    Failure(.serverError, 1, ["login"], faults: [.invalidClient]).printing("invalid_client", "hint:"),
    Failure(.invalidResponse, 1, ["login"], faults: [.invalidIss])
      .printing("ID token", "id_token_issuer_mismatch", "hint:"),
    Failure(.storeUnavailable, 6, ["accounts", "--cache-file", "/proc/self/mem"]).printing("/proc/self/mem"),
    Failure(.listenerFailed, 1, ["login", "--redirect-uri", "http://127.0.0.1:PORT/"])
      .printing("PORT", "hint: stop the program"),
    Failure(.invalidConfiguration, 78, ["login", "--config", "/nonexistent/config.json"])
      .printing("/nonexistent/config.json does not exist"),
    Failure(.invalidParameter, 64, ["login", "--claims", "{"]).printing("claims", "JSON object"),
    Failure(.invalidParameter, 64, ["token", "--www-authenticate", "Basic realm=x"])
      .printing("--www-authenticate", "hint:"),
  ]
}

@Suite("error output", .limitedConcurrency)
struct ErrorCommandTests {
  @Test("a failure prints its message, code and hint", arguments: Failure.all)
  func explained(_ failure: Failure) async throws {
    try await provoke(failure, CommandFixture(signedIn: failure.signedIn))
  }

  private func provoke(_ failure: Failure, _ fixture: CommandFixture) async throws {
    if failure.forgetsCurrent {
      try fixture.runner.home.removeMap("msauth", in: ProviderMockFixture.cacheFile)
    }
    await fixture.provider.set(faults: failure.faults)
    let port = fixture.provider.baseURL.split(separator: ":").last.map(String.init) ?? ""
    func filled(_ text: String) -> String { text.replacing("PORT", with: port) }

    let outcome = try await fixture.run(failure.command.map(filled), as: "ada")
    #expect(outcome.code == failure.exit, "\(outcome)")
    #expect(outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("msauth: code \(failure.code.rawValue)"), "\(outcome)")
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
    #expect(Set(AuthenticationError.Code.allCases).subtracting(Failure.all.map(\.code)) == inLibrary)
  }

  @Test(
    "a refresh token that couldn't be revoked is reported on stderr, in --json, and by exit code 1",
    arguments: [[], ["--json"]]
  )
  func revocationFailed(_ format: [String]) async throws {
    let fixture = try await CommandFixture([.revocation503], signedIn: ["ada"])
    let outcome = try await fixture.run(["logout"] + format, as: "ada")
    #expect(outcome.code == 1, "\(outcome)")
    if format.isEmpty {
      #expect(outcome.stderr.contains("the refresh token could not be revoked: "), "\(outcome)")
      #expect(
        outcome.stderr.split(separator: "\n").count { $0.contains("revoke") } == 1,
        "once is enough: \(outcome)"
      )
    } else {
      let output = try JSONValue(parsing: outcome.stdout.utf8)
      #expect(output["error"]?["reason"] == "revocation_failed" && output["error"]?["exit"] == 1, "\(outcome)")
      let report = output["sign_outs"]?.array?.first
      #expect(report?["revocation"] == "failed" && report?["problems"]?.array?.isEmpty == false, "\(outcome)")
      #expect(report?["removed_tokens"] == true, "the local tokens are removed: \(outcome)")
    }
  }
}

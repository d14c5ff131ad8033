import DemoProvider
import LibCrypto
import MSAuth
import Core
import Testing
import Transport
import TestSupport

/// How `msauth` is brought to fail, and what it then says.
struct Failure: Sendable, CustomTestStringConvertible {
  var code: AuthenticationError.Code
  var exit: Int32
  /// What the provider does from the command on.
  var faults: Set<Fault> = []
  /// Who signs in before it.
  var signedIn: [String] = []
  var command: [String]
  /// Words of the message, and of what to do.
  var says: [String]

  var testDescription: String { "\(code.rawValue): \(command.joined(separator: " "))" }

  static let all: [Failure] = [
    Failure(
      code: .interactionRequired,
      exit: 2,
      faults: [.refreshBadToken],
      signedIn: ["ada"],
      command: ["token", "--force-refresh"],
      says: ["a person has to sign in", "invalid_grant", "hint: run msauth login"]
    ),
    Failure(
      code: .interactionRequired,
      exit: 2,
      signedIn: ["ada"],
      command: ["token", "--www-authenticate", #"Bearer error="insufficient_user_authentication", max_age="5""#],
      says: ["newer or stronger sign-in", "hint: add --interactive"]
    ),
    Failure(code: .userCanceled, exit: 3, faults: [.accessDenied], command: ["login"], says: ["denied", "hint:"]),
    Failure(
      code: .serverDeclinedScopes,
      exit: 1,
      faults: [.tokenScopeNarrowed],
      command: ["login"],
      says: ["did not grant User.Read", "hint: ada@contoso.example is signed in for the rest"]
    ),
    Failure(
      code: .accountRequired,
      exit: 2,
      command: ["token"],
      says: ["nobody is signed in", "hint: run msauth login"]
    ),
    Failure(
      code: .ambiguousAccount,
      exit: 2,
      signedIn: ["ada", "grace"],
      command: ["token"],
      says: ["2 accounts", "ada@contoso.example", "grace@outlook.example", "hint: say which one with --account"]
    ),
    Failure(
      code: .timedOut,
      exit: 4,
      command: ["login", "--timeout", "0.3"],
      says: ["nobody answered", "hint:", "--timeout"]
    ),
    Failure(
      code: .providerUnreachable,
      exit: 5,
      faults: [.token429RetryAfter],
      signedIn: ["ada"],
      command: ["token", "--force-refresh"],
      says: ["429", "hint: try again in 7 seconds"]
    ),
    Failure(
      code: .serverError,
      exit: 1,
      faults: [.invalidClient],
      command: ["login"],
      says: ["invalid_client", "hint:"]
    ),
    Failure(
      code: .invalidResponse,
      exit: 1,
      faults: [.invalidIss],
      command: ["login"],
      says: ["ID token", "id_token_issuer_mismatch", "hint:"]
    ),
    Failure(
      code: .storeUnavailable,
      exit: 6,
      command: ["accounts", "--cache-file", "/proc/self/mem"],
      says: ["/proc/self/mem"]
    ),
    Failure(
      code: .listenerFailed,
      exit: 1,
      command: ["login", "--redirect-uri", "http://127.0.0.1:PORT/"],
      says: ["PORT", "hint: end the program"]
    ),
    Failure(
      code: .invalidConfiguration,
      exit: 78,
      command: ["login", "--config", "/nonexistent/config.json"],
      says: ["/nonexistent/config.json does not exist"]
    ),
    Failure(
      code: .invalidParameter,
      exit: 64,
      command: ["login", "--claims", "{"],
      says: ["claims", "JSON object"]
    ),
    Failure(
      code: .invalidParameter,
      exit: 64,
      command: ["token", "--www-authenticate", "Bearer realm=x"],
      says: ["--www-authenticate", "hint:"]
    ),
  ]
}

@Suite("every error, as a person meets it")
struct ErrorTests {
  @Test("what happened, its code, and what to do", arguments: Failure.all)
  func told(_ failure: Failure) async throws {
    try await ConcurrencyLimiter.benches.admit { try await provoke(failure) }
  }

  private func provoke(_ failure: Failure) async throws {
    let provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    let desk = Desk(provider: provider, runner: CommandRunner(home: try Home()))
    for person in failure.signedIn {
      let outcome = try await desk.run(["login", "--prompt", "login"], as: person)
      try #require(outcome.code == 0, "\(outcome)")
    }
    await provider.set(faults: failure.faults)
    let port = provider.baseURL.split(separator: ":").last.map(String.init) ?? ""
    func filled(_ text: String) -> String { text.replacing("PORT", with: port) }

    let outcome = try await desk.run(failure.command.map(filled), as: "ada")
    #expect(outcome.code == failure.exit, "\(outcome)")
    #expect(outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("msauth: code \(failure.code.rawValue)"), "\(outcome)")
    for words in failure.says { #expect(outcome.stderr.contains(filled(words)), "\(words): \(outcome)") }
    // Swift's way to print a value or a type is for engineers.
    for name in ["Error(", "MSAuth.", "OAuthError", "Optional(", "Swift.", "(with:)", "(_:"] {
      #expect(!outcome.stderr.contains(name), "\(outcome)")
    }
    // A plain provider is sent no correlation id: naming one to its administrator would lead nowhere.
    #expect(!outcome.stderr.contains("correlation id"), "\(outcome)")
    let lines = outcome.stderr.split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("msauth: ") }, "\(outcome)")
    await provider.stop()
  }

  @Test("every code is provoked, by the binary or in the library")
  func complete() {
    let inLibrary: Set<AuthenticationError.Code> = [.canceled, .internalError]
    #expect(Set(AuthenticationError.Code.allCases).subtracting(Failure.all.map(\.code)) == inLibrary)
  }

  @Test("a cancelled task is told as such")
  func canceled() async throws {
    try await withBench([.invalidState]) { bench in
      let error = try #require(await #expect(throws: AuthenticationError.self) { try await bench.signIn() })
      #expect(error.code == .canceled && error.msalCode == -50005)
    }
  }

  @Test("a machine without libcurl is told what to install")
  func internalError() async throws {
    struct NoTransport: HTTPTransport {
      func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        throw TransportError(.unavailable, host: "127.0.0.1", message: "libcurl could not be loaded")
      }
    }
    try await withBench { working in
      let bench = try Bench(working.provider, transport: NoTransport())
      let error = try #require(await #expect(throws: AuthenticationError.self) { try await bench.signIn() })
      #expect(error.code == .internalError && error.reason == "libcurl_missing")
      #expect(error.remedy == .install(package: "libcurl4"))
    }
  }

  @Test("MSAL's numbers")
  func numbers() {
    let expected: [(AuthenticationError.Code, Int, Int?)] = [
      (.interactionRequired, -50002, nil), (.userCanceled, -50005, nil), (.serverDeclinedScopes, -50003, nil),
      (.accountRequired, -50000, -42106), (.ambiguousAccount, -50000, -42102), (.timedOut, -50000, -42401),
      (.providerUnreachable, -50000, -42007), (.serverError, -50000, -42007), (.invalidResponse, -50000, -42600),
      (.storeUnavailable, -50000, -42008), (.listenerFailed, -50000, -42011), (.invalidConfiguration, -50000, -42000),
      (.invalidParameter, -50000, -42000), (.canceled, -50005, nil), (.internalError, -50000, -42008),
    ]
    #expect(Set(expected.map(\.0)) == Set(AuthenticationError.Code.allCases))
    for (code, msal, inner) in expected {
      let error = AuthenticationError(code, "")
      #expect(error.msalCode == msal && error.msalInternalCode == inner, "\(code)")
    }
    let refusals: [(String, Int)] = [
      ("invalid_request", -42002), ("invalid_client", -42003), ("invalid_grant", -42004), ("invalid_scope", -42005),
      ("unauthorized_client", -42006), ("server_error", -50006), ("a_new_one", -42104),
    ]
    for (refusal, inner) in refusals {
      let error = AuthenticationError(.serverError, "", provider: ProviderError(error: refusal))
      #expect(error.msalInternalCode == inner, "\(refusal)")
    }
    var error = AuthenticationError(.interactionRequired, "", provider: ProviderError(error: "invalid_grant"))
    error.provider?.codes = [50142]
    #expect(error.msalCode == -50142)
    error.provider = ProviderError(error: "unauthorized_client", subError: "protection_policy_required")
    #expect(error.msalCode == -50004)
  }
}

import MSAuthTransport
import TestSupport
import Testing

@testable import MSAuth

@Suite("error hints")
struct ErrorHintTests {
  private static let ada = Account(identifier: "1.2", username: "ada@contoso.example", environment: "id.example")

  /// Calls that fail before a flow starts.
  private static let calls: [@Sendable (PublicClientApplication) async throws -> Void] = [
    { _ = try await $0.accounts() },
    { _ = try await $0.accounts(matching: AccountFilter(ofEveryProvider: true)) },
    { _ = try await $0.account(named: "1.2") },
    { _ = try await $0.removeAccount(ada) },
    { _ = try await $0.currentAccount() },
    { _ = try await $0.get(URL(filePath: "/ftp"), with: token) },
    { _ = try await $0.get(URL(filePath: "nonsense"), with: token) },
  ]

  private static let token = TokenResult(accessToken: "t", expiresOn: .distantPast, scopes: [], account: ada)
  @Test("the library's errors name no command or flag of msauth", arguments: calls.indices)
  func advice(index: Int) async throws {
    let home = try Home()
    var configuration = ClientConfiguration(clientID: "app", environment: home.environment)
    // A directory isn't a cache.
    configuration.store = .file(home.path("state"))
    let application = try await PublicClientApplication(configuration: configuration)
    let error = try await #require(throws: AuthenticationError.self) { try await Self.calls[index](application) }
    #expect(error.hint != nil)
    #expect(!error.description.contains("--") && !error.description.contains("msauth "), "\(error)")
    if index < 5 { #expect(error.hint?.description.contains("the token store can be read") == true) }
  }

  @Test("an unknown account's hint lists a few accounts, the most similar first")
  func notSignedIn() {
    func error(_ names: [String]) -> AuthenticationError {
      let known = names.map { Account(identifier: $0, username: $0, environment: "id.example") }
      return AuthenticationError(notSignedIn: "grcae@id.example", known: known)
    }
    let several = ["ada@a.example", "alan@a.example", "grace@id.example"]
    let names = [several[2], several[0], several[1]].joined(separator: ", ")
    let hint = error(several).hint?.description
    #expect(hint == "sign in as grcae@id.example, or name one that is signed in: \(names)")
    let many = error((1000..<4000).map { "user\($0)@tenant.example" } + ["grace@id.example"])
    let listed = "grace@id.example, user1000@tenant.example, user1001@tenant.example, user1002@tenant.example, "
    #expect(many.description.contains(listed))
    #expect(many.description.hasSuffix("user1003@tenant.example and 2996 more)"))
    #expect(error([]).hint == .signIn)
  }

  @Test("a TLS error's hint comes from the transport, or is to contact the provider")
  func certificate() {
    for hint in [Hint.checkClock, nil] {
      let error = AuthenticationError(.tlsUntrusted, host: "id.example", "no", hint: hint)
      #expect(error.reason == "tls_untrusted" && error.hint == hint ?? .reportToProvider)
    }
  }
}

import Core
import FoundationEssentials
import TestSupport
import Testing
import Transport

@testable import MSAuth

@Suite("what an error advises")
struct RemedyTests {
  private static let ada = Account(identifier: "1.2", username: "ada@contoso.example", environment: "id.example")

  /// Every call that fails before there is a flow.
  private static let calls: [@Sendable (PublicClientApplication) async throws -> Void] = [
    { _ = try await $0.accounts() },
    { _ = try await $0.accounts(for: AccountEnumerationParameters()) },
    { _ = try await $0.account(forIdentifier: "1.2") },
    { _ = try await $0.account(forUsername: "ada@contoso.example") },
    { _ = try await $0.removeAccount(ada) },
    { _ = try await $0.currentAccount() },
    { _ = try await $0.get(URL(filePath: "/ftp"), with: token) },
    { _ = try await $0.get(URL(filePath: "nonsense"), with: token) },
  ]

  private static let token = TokenResult(
    accessToken: "t",
    tokenType: "Bearer",
    expiresOn: Date(timeIntervalSince1970: 0),
    scopes: [],
    idToken: nil,
    account: ada,
    tenantID: nil,
    authority: .microsoftCommon,
    correlationID: "",
    isFromCache: true
  )

  @Test("an application's errors name no command and no flag of msauth", arguments: calls.indices)
  func advice(index: Int) async throws {
    let home = try Home()
    var configuration = ClientConfiguration(clientID: "app", environment: home.environment)
    // A directory is no cache.
    configuration.store = .file(home.path("state"))
    let application = try await PublicClientApplication(configuration: configuration)
    let error = try #require(
      await #expect(throws: AuthenticationError.self) { try await Self.calls[index](application) }
    )
    #expect(error.remedy != nil)
    #expect(!error.description.contains("--") && !error.description.contains("msauth "), "\(error)")
    if index < 5 { #expect(error.remedy == .checkStore) }
  }

  @Test("for a name that is not signed in a handful of those that are is listed, the nearest first")
  func notSignedIn() {
    func error(_ names: [String]) -> AuthenticationError {
      let known = names.map { Account(identifier: $0, username: $0, environment: "id.example") }
      return AuthenticationError(notSignedIn: "grcae@id.example", known: known)
    }
    let several = ["ada@a.example", "alan@a.example", "grace@id.example"]
    #expect(
      error(several).remedy
        == .signInOrName(username: "grcae@id.example", signedIn: [several[2], several[0], several[1]])
    )
    let many = error((1000..<4000).map { "user\($0)@tenant.example" } + ["grace@id.example"])
    let listed = ["grace@id.example"] + (1000..<1004).map { "user\($0)@tenant.example" }
    #expect(many.remedy == .signInOrName(username: "grcae@id.example", signedIn: listed, others: 2996))
    #expect(many.description.hasSuffix("user1003@tenant.example and 2996 more)"))
    #expect(error([]).remedy == .signIn())
  }

  @Test("what a certificate lacks is advised as the transport knows it; otherwise the provider's administrator is")
  func certificate() {
    for remedy in [Remedy.checkClock, nil] {
      let error = AuthenticationError(TransportError(.untrusted, host: "id.example", message: "no", remedy: remedy))
      #expect(error.reason == .tlsUntrusted && error.remedy == remedy ?? .reportToProvider())
    }
  }
}

import TestSupport
import Testing

@testable import MSAuth

@Suite("what an error advises to whom")
struct HintTests {
  private static let ada = Account(identifier: "1.2", username: "ada@contoso.example", environment: "id.example")

  /// Every call that fails before there is a flow.
  private static let calls: [@Sendable (PublicClientApplication) async throws -> Void] = [
    { _ = try $0.accounts() },
    { _ = try $0.accounts(for: AccountEnumerationParameters()) },
    { _ = try $0.account(forIdentifier: "1.2") },
    { _ = try $0.account(forUsername: "ada@contoso.example") },
    { _ = try await $0.removeAccount(ada) },
    { _ = try await $0.currentAccount() },
    { _ = try await $0.get("ftp://id.example", with: token) },
    { _ = try await $0.get("nonsense", with: token) },
  ]

  private static let token = TokenResult(
    accessToken: "t",
    tokenType: "Bearer",
    expiresOn: 0,
    scopes: [],
    idToken: nil,
    account: ada,
    tenantID: nil,
    authority: .microsoftCommon,
    correlationID: "",
    isFromCache: true
  )

  @Test("msauth's commands and flags are named at its command line alone", arguments: calls.indices)
  func advice(index: Int) async throws {
    for isCommandLine in [true, false] {
      let home = try Home()
      var configuration = Configuration(clientID: "app", environment: home.environment)
      // A folder is no cache.
      configuration.store = .file(home.path("state"))
      configuration.isCommandLine = isCommandLine
      let application = try PublicClientApplication(configuration: configuration)
      let error = await #expect(throws: AuthenticationError.self) { try await Self.calls[index](application) }
      let names = error?.hint.map { $0.contains("--") || $0.contains("msauth ") } ?? false
      #expect(isCommandLine || !names, "\(error as Any)")
      if index < 5 { #expect(names == isCommandLine, "\(error as Any)") }
    }
  }
}

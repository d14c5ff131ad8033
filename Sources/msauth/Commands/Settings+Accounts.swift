import MSAuth
import MSAuthPreferences

extension Settings {
  /// The accounts of the configured authority, or of every provider if none is configured.
  func accountsOfEveryApplication(
    _ options: ProviderOptions,
    inBackground: Bool = false
  ) async throws -> [ApplicationAccount] {
    try await application.accountsOfEveryApplication(
      known: Settings.profiles(Layer(options)).map(\.application),
      at: namesAuthority ? application.authority : nil,
      inBackground: inBackground
    )
  }

  /// The chosen or the current account, and the application that it is signed in to.
  func currentAccount(
    _ options: ProviderOptions,
    inBackground: Bool = false
  ) async throws -> (ClientConfiguration?, CurrentAccount) {
    let name = account?.value
    guard hasClientID else {
      let found = try await accountsOfEveryApplication(options, inBackground: inBackground).account(named: name)
      return (found?.configuration, CurrentAccount(account: found?.account))
    }
    var client = try await PublicClientApplication(configuration: application)
    if inBackground { client = client.withoutPrompts }
    if let name { return (application, CurrentAccount(account: try await client.account(named: name))) }
    var current = try await client.currentAccount(remembers: false)
    if current.account == nil, application.usesBroker() {
      // The device's broker may have an account.
      do { current.account = try await client.account(named: nil) } catch {
        guard error.code == .accountRequired else { throw error }
      }
    }
    return (application, current)
  }
}

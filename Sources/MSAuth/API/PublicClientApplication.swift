import Desktop
import OAuth
import Core
import TokenCache
import Transport

/// An application that signs people in without a secret of its own (MSAL: `MSALPublicClientApplication`).
///
/// It keeps no state: every call reads the token store, so that several processes agree.
public final class PublicClientApplication: Sendable {
  package let context: Context
  /// The configuration that the application was made with.
  public var configuration: ClientConfiguration { context.configuration }

  /// Whether the device was shared when the application was made: its sign-outs include the browser then.
  package var isOnSharedDevice: Bool { context.dependencies.device.mode == .shared }

  /// Makes an application that uses the system's browser, network, clock and token store.
  ///
  /// - Parameter configuration: The application's registration and settings.
  /// - Throws: ``AuthenticationError`` when the configuration is wrong or the store cannot be used.
  public convenience init(configuration: ClientConfiguration) async throws(AuthenticationError) {
    let dependencies = try await AuthenticationError.wrap { try await Dependencies.system(for: configuration) }
    try self.init(configuration: configuration, dependencies: dependencies)
  }

  package init(configuration: ClientConfiguration, dependencies: Dependencies) throws(AuthenticationError) {
    try ClientConfiguration.validate(clientID: configuration.clientID)
    context = Context(configuration: configuration, dependencies: dependencies)
  }

  /// Signs a person in through the browser and returns a token (MSAL: `acquireToken(with:)`).
  ///
  /// - Parameter parameters: What to ask for.
  /// - Returns: The token and its account, which are stored by then.
  /// - Throws: ``AuthenticationError``.
  public func acquireToken(with parameters: InteractiveTokenParameters) async throws(AuthenticationError) -> TokenResult
  {
    try await loggingToken(.acquireToken) {
      let rule = SingleAccount(context: context)
      try rule.checkDevice()
      try WaitingTime.check(parameters.timeout)
      return try await withPreparedStore {
        let parameters = try await rule.fitted(parameters)
        let flow = InteractiveFlow(context: context, parameters: parameters)
        return try await SignInCoordinator(context: context, parameters: parameters).run { try await flow.run() }
      }
    }
  }

  /// Signs a person in through a browser on another device (RFC 8628).
  ///
  /// Only for where no browser can be opened: anybody who enters the code signs *this* device in. Phishers exploit that,
  /// so many organizations block it.
  ///
  /// - Parameter parameters: What to ask for, and what to call with the code.
  /// - Returns: The token and its account, which are stored by then.
  /// - Throws: ``AuthenticationError``.
  public func acquireToken(with parameters: DeviceCodeParameters) async throws(AuthenticationError) -> TokenResult {
    try await loggingToken(.acquireToken) {
      try SingleAccount(context: context).checkDevice()
      if let timeout = parameters.timeout { try WaitingTime.check(timeout) }
      return try await withPreparedStore {
        try await DeviceCodeFlow(context: context, parameters: parameters).run()
      }
    }
  }

  /// Returns a token without opening a browser, from the store or refreshed (MSAL: `acquireTokenSilent(with:)`).
  ///
  /// - Parameter parameters: What to ask for, and for which account.
  /// - Returns: The token; ``TokenResult/isFromCache`` is false if it was refreshed.
  /// - Throws: ``AuthenticationError``; with `AuthenticationError.Code.interactionRequired` if the user has to sign in.
  public func acquireTokenSilent(with parameters: SilentTokenParameters) async throws(AuthenticationError)
    -> TokenResult
  {
    try await acquireTokenSilent(with: parameters, in: nil)
  }

  private func acquireTokenSilent(
    with parameters: SilentTokenParameters,
    in document: TokenCacheDocument?
  ) async throws(AuthenticationError) -> TokenResult {
    try await loggingToken(.acquireTokenSilent) {
      var flow = SilentFlow(context: context, parameters: parameters)
      return try await flow.run(in: document)
    }
  }

  /// Returns a token: silently if possible, else through the browser if that is allowed.
  ///
  /// - Parameter parameters: What to ask for, and how to ask in the browser.
  /// - Returns: The token and its account.
  /// - Throws: ``AuthenticationError``: with `AuthenticationError.Code.interactionRequired` or
  ///   `AuthenticationError.Code.accountRequired` if the user has to sign in and the browser may not be opened; with
  ///   `AuthenticationError.Code.ambiguousAccount` if several accounts match; with the reason
  ///   `AuthenticationError.Reason.otherAccount` if a different account signed in, which stays signed in.
  public func token(with parameters: TokenParameters) async throws(AuthenticationError) -> TokenResult {
    let start = context.dependencies.clock.now()
    return try await token(with: parameters, startedAt: start) { () async throws(AuthenticationError) in
      // The store is read once: the account and its token come from the same document.
      let document = try await AuthenticationError.wrap { try await context.dependencies.store.load() }
      return (
        account: { name throws(AuthenticationError) in
          try self.account(named: name, in: document)
        },
        token: { silent async throws(AuthenticationError) in
          try await self.acquireTokenSilent(with: silent, in: document)
        }
      )
    }
  }

  /// The accounts that are signed in to this application, sorted by username.
  ///
  /// - Throws: ``AuthenticationError`` when the store cannot be read.
  public func accounts() async throws(AuthenticationError) -> [Account] {
    try await AuthenticationError.wrap {
      AccountDirectory(context: context).signedIn(
        in: try await context.dependencies.store.load()
      )
    }
  }

  /// The account with that home account ID, if it is signed in.
  ///
  /// - Parameter identifier: The home account ID; in upper or lower case, unless that distinguishes two.
  /// - Throws: ``AuthenticationError``; with `AuthenticationError.Code.ambiguousAccount` when several differ from it by
  ///   letters' case alone.
  /// - Returns: The account; nil if it is not signed in.
  public func account(forIdentifier identifier: String) async throws(AuthenticationError) -> Account? {
    try await signedIn(named: identifier).account(having: identifier, as: \.identifier)
  }

  /// The account with that username, if it is signed in.
  ///
  /// - Parameter username: The username, in upper or lower case.
  /// - Throws: ``AuthenticationError``; with `AuthenticationError.Code.ambiguousAccount` more than one has it.
  /// - Returns: The account; nil if it is not signed in.
  public func account(forUsername username: String) async throws(AuthenticationError) -> Account? {
    try await signedIn(named: username).account(having: username, as: \.username)
  }

  /// The current account and, if it changed since the last call, the previous one (MSAL: `getCurrentAccount`).
  ///
  /// The account that signed in last at the configured authority is the current one, or the one that
  /// ``setCurrentAccount(_:)`` named since.
  ///
  /// - Throws: ``AuthenticationError``; with `AuthenticationError.Code.ambiguousAccount` several are signed in, and none
  ///   of them through this application.
  public func currentAccount() async throws(AuthenticationError) -> CurrentAccount {
    try await logging(.currentAccount) {
      try await CurrentAccountFlow(context: context).run()
    }
  }

  /// Signs one account out (MSAL: `signout(with:signoutParameters:)`).
  ///
  /// - Parameters:
  ///   - account: The account to sign out.
  ///   - parameters: How far it goes.
  /// - Returns: What each step achieved.
  /// - Throws: ``AuthenticationError`` when the account could not be removed here; the later steps only report.
  public func signOut(_ account: Account, with parameters: SignOutParameters = .init())
    async throws(AuthenticationError) -> SignOutReport
  {
    var reports: [SignOutReport] = []
    try await signOut([account], with: parameters) { reports.append($0) }
    return reports[0]
  }

  /// Signs accounts out as ``signOut(_:with:)`` does one: of all the tokens are removed here first, in one write.
  package func signOut(
    _ accounts: [Account],
    with parameters: SignOutParameters,
    whenRemoved: @escaping @Sendable () -> Void = {},
    report: (SignOutReport) -> Void
  ) async throws(AuthenticationError) {
    try await logging(.signOut) {
      try WaitingTime.check(parameters.timeout)
      try await SignOutFlow(context: context, parameters: parameters)
        .run(accounts, whenRemoved: whenRemoved, report: report)
    }
  }

  /// Whether the device is private or shared (MSAL: `getDeviceInformation`).
  ///
  /// - Throws: ``AuthenticationError`` when the administrator's file cannot be read.
  public func deviceInformation() throws(AuthenticationError) -> DeviceInformation {
    try AuthenticationError.wrap {
      try DeviceInformation(
        contentsOf: configuration.deviceConfigurationFile,
        writtenBy: configuration.deviceAdministrator
      )
    }
  }

  /// Runs a sign-in when its result can be stored, and reports what the person has to know of the place once it is there.
  private func withPreparedStore(_ signIn: () async throws -> TokenResult) async throws -> TokenResult {
    let notice = try await StorePreparation(context: context).run()
    func report() {
      if let notice { configuration.log(.warning, "\(person: notice)") }
    }
    do {
      let result = try await signIn()
      report()
      return result
    } catch let error as AuthenticationError where error.code == .serverDeclinedScopes {
      // The account is signed in all the same.
      report()
      throw error
    }
  }

  /// Runs a flow that acquires a token, and logs its outcome.
  private func loggingToken(_ call: Call, _ flow: () async throws -> TokenResult) async throws(AuthenticationError)
    -> TokenResult
  {
    let result = try await logging(call, flow)
    let origin = result.isFromCache ? "the store" : "the provider"
    configuration.log(.info, "\(call.rawValue): a token of \(person: result.account.username) from \(origin)")
    return result
  }

  /// Runs a flow, logs its outcome, and throws every failure as an ``AuthenticationError``.
  func logging<Value>(_ call: Call, _ flow: () async throws -> Value) async throws(AuthenticationError) -> Value {
    configuration.log(.verbose, "\(call.rawValue) begins")
    do {
      let value = try await flow()
      configuration.log(.verbose, "\(call.rawValue) is done")
      return value
    } catch {
      let error = AuthenticationError(wrapping: error)
      let isExpected = [.interactionRequired, .userCanceled, .canceled].contains(error.code)
      configuration.log(
        isExpected ? .info : .error,
        "\(call.rawValue): \(error.code.rawValue) (\(error.reason?.rawValue ?? "no reason"))"
      )
      throw error
    }
  }

  /// The calls, as the log names them.
  enum Call: String {
    case acquireToken = "acquireToken(with:)"
    case acquireTokenSilent = "acquireTokenSilent(with:)"
    case currentAccount = "currentAccount()"
    case signOut = "signOut(_:with:)"
  }
}

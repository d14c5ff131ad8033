/// The rule of single account mode and of shared devices: one account at a time.
struct SingleAccount: Sendable {
  let context: Context
  let authority: Authority

  /// The account that is already signed in, if a sign-in must be for it.
  func account(for request: ResolvedRequest, in document: TokenCacheDocument) throws(AuthenticationError) -> Account? {
    let requested = CacheQuery(authority)
    let accounts = accounts(in: document)
    guard let current = accounts.first(where: requested.isProvider) ?? accounts.first else { return nil }
    guard requested.isProviderInAnyCloud(of: current) else { throw taken(by: current) }
    let isExpected =
      request.expected.map { $0.matches(current) } ?? request.interaction.loginHint.map(current.isNamed)
    if isExpected == false { throw taken(by: current) }
    return current
  }

  /// Rejects accounts other than the one already signed in, as MSAL's single-account applications do.
  func admit(_ account: Account, to document: TokenCacheDocument) throws(AuthenticationError) {
    let provider = CacheQuery(account)
    let other = accounts(in: document).first {
      !provider.isProviderInAnyCloud(of: $0)
        || !AccountID.areSame($0.identifier, account.identifier, at: provider.issuer)
    }
    if let other { throw taken(by: other) }
  }

  /// The accounts that the rule applies to, at any provider.
  private func accounts(in document: TokenCacheDocument) -> [Account] {
    let isShared = context.isOnSharedDevice
    guard authority.subject.isAccount, isShared || context.configuration.accountMode == .single else { return [] }
    return AccountList.ofEveryProvider(context: context, in: document)
      .flatMap { isShared ? $0.all(in: document) : $0.signedIn(in: document) }
  }

  private func taken(by account: Account) -> AuthenticationError {
    let isShared = context.isOnSharedDevice
    let holder = isShared ? "shared device" : "application"
    let isElsewhere = !context.configuration.authority.isProvider(of: account)
    let signOut: Hint = "sign that account out first"
    let location = isElsewhere ? " at \(account.environment.printable())" : ""
    let message = "\(account.username.printable()) is signed in\(location), and this \(holder) allows only one account"
    let reason: AuthenticationError.Reason = isShared ? "shared_device_taken" : "single_account_taken"
    let hint: Hint =
      if isElsewhere {
        "\(signOut); it belongs to \(account.environment), so set \(setting: "authority", or: "the authority") accordingly"
      } else {
        "\(signOut)\(action: .signOut, or: "")"
      }
    return AuthenticationError(.ambiguousAccount, message, reason: reason, hint: hint)
  }
}

extension Context {
  /// Rejects a sign-in on a shared device if the application doesn't support it.
  func checkSharedDeviceSupport() throws(AuthenticationError) {
    guard isOnSharedDevice, !configuration.supportsSharedDevice else { return }
    let message = "this device is shared, but this application isn't configured for shared devices"
    let setting: Hint = "\(setting: "shared_device_mode_supported", or: "shared device support")"
    let hint: Hint = "turn on \(setting), or use another application"
    throw AuthenticationError(.invalidConfiguration, message, reason: "shared_device_unsupported", hint: hint)
  }
}

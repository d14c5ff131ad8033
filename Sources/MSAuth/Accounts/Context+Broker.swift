import MSAuthBroker

extension ClientConfiguration {
  /// Whether an authority's tokens (default: the configured one's) may come from the broker, which has work accounts only.
  package func usesBroker(at authority: Authority? = nil) -> Bool {
    let authority = authority ?? self.authority
    return brokerUse != .never && authority.kind == .aad && authority.tenant != "consumers" && !usesDPoP
  }

  package func requiresBroker(at authority: Authority? = nil) -> Bool {
    brokerUse == .always && usesBroker(at: authority)
  }
}

extension Context {
  var broker: Broker { Broker(environment: configuration.environment) }

  /// Whether an account that only the broker has may be used before its user signs in here.
  var admitsBrokerAccounts: Bool { !isOnSharedDevice && configuration.accountMode == .multiple }

  /// The accounts that the device's broker has in the cloud of an authority, or of the configured one.
  func brokerAccounts(
    at authority: Authority? = nil,
    correlationID: String = newCorrelationID(),
    within timeout: Duration = Broker.timeout
  ) async throws(BrokerFailure) -> [BrokerAccount] {
    let request = BrokerRequest.accounts(clientID: clientID)
    let hosts = (authority ?? configuration.authority).environmentAliases
    do throws(BrokerFailure) {
      let response = try await broker.call(.accounts, request, correlationID: correlationID, within: timeout)
      return try BrokerResponse.accounts(response).filter {
        $0.environment.isEmpty || hosts.contains($0.environment.lowercased())
      }
    } catch {
      // Some brokers report that they have no account as an error.
      guard error.meansNoAccount else { throw error }
      return []
    }
  }

  /// Adds the accounts that only the device's broker has to what was read from the store.
  func addBrokerAccounts(to document: inout TokenCacheDocument) async throws(AuthenticationError) {
    let authority = configuration.authority
    guard configuration.usesBroker(), admitsBrokerAccounts, !dependencies.isInBackground else { return }
    do throws(BrokerFailure) {
      for account in try await brokerAccounts() {
        let account = account.account(at: authority)
        let query = CacheQuery(authority, account: account.identifier, clientID: clientID)
        guard document.refreshTokens(matching: query).isEmpty, let entry = AccountEntry(ofBroker: account) else {
          continue
        }
        document.storeAccount(entry)
      }
    } catch {
      if configuration.requiresBroker() || error.status == .canceled { throw error.error }
      configuration.log(error.isAbsent ? .info : .warning, "\(user: error.error.message); its accounts are unknown")
    }
  }

  /// Removes an account from the device, unless it isn't there, and checks that the broker no longer has it.
  func removeFromDevice(_ account: Account) async throws(AuthenticationError) {
    guard configuration.usesBroker() else {
      let message = "the device's identity broker isn't used with this provider or this configuration"
      throw AuthenticationError(.invalidParameter, message, reason: "broker_unused")
    }
    do throws(BrokerFailure) {
      guard let found = try await brokerAccounts().first(where: { $0.hasID(account.identifier) }) else { return }
      let request = BrokerRequest.removal(of: found, clientID: clientID)
      let timeout = configuration.http.requestTimeout
      var failure = BrokerFailure(.unexpected, "it still has the account")
      do throws(BrokerFailure) {
        _ = try await broker.call(.removal, request, correlationID: newCorrelationID(), within: timeout)
      } catch {
        // The response to a removal has no documented form.
        failure = error
      }
      if try await brokerAccounts().contains(where: { $0.hasID(account.identifier) }) { throw failure }
    } catch {
      throw error.explained(of: .removal)
    }
  }

  /// The broker's version; `nil` if it reports none.
  func brokerVersion() async throws(BrokerFailure) -> String? {
    let request = BrokerRequest.version(of: MSAuthVersion.current)
    let response = try await broker.call(.version, request, correlationID: newCorrelationID())
    return response["linuxBrokerVersion"]?.string
  }
}

extension BrokerAccount {
  func hasID(_ id: String) -> Bool { AccountID.areSame(homeAccountID, id, at: nil) }

  /// The account, under the authority's name of the cloud; Himmelblau uses another.
  func account(at authority: Authority) -> Account {
    let home = Account.homeTenant(in: homeAccountID)
    let tenant = realm.isEmpty ? home ?? "" : realm
    var account = Account(identifier: homeAccountID, username: username, environment: authority.environment)
    account.isFromBroker = true
    account.tenantProfiles = [
      TenantProfile(identifier: localAccountID, tenantID: tenant, isHomeTenant: home == tenant.lowercased())
    ]
    return account
  }
}

extension AccountEntry {
  /// `nil` unless the account is the broker's.
  init?(ofBroker account: Account) {
    guard account.isFromBroker, let profile = account.tenantProfiles.first else { return nil }
    self.init(
      homeAccountID: account.identifier,
      environment: account.environment,
      realm: profile.tenantID,
      localAccountID: profile.identifier,
      username: account.username,
      authorityType: "MSSTS",
      isFromBroker: true
    )
  }
}

extension BrokerFailure {
  /// The error for the caller of a method, with the meaning of Entra's number in the broker's text.
  func explained(of method: Broker.Method) -> AuthenticationError {
    let response = ProviderError(error: "broker", description: detail)
    // The broker's redirect URI isn't the browser's.
    if response.codes.contains(50011) { return BrokerFailure(.incorrectConfiguration, detail).error }
    var error = error(of: method)
    guard let (code, entry) = response.knownCode else { return error }
    error.message = "the device's identity broker reports: \(entry.meaning) (AADSTS\(code))"
    // Another sign-in doesn't help.
    if response.meansPolicy { error.code = .serverError }
    if error.code != .interactionRequired { error.hint = entry.hint }
    return error
  }
}

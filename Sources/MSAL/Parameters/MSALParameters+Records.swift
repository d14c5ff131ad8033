import MSAuth

extension MSALInteractiveTokenParameters {
  func record(slice: MSALSliceConfig?) throws -> TokenParameters {
    var record = try sharedRecord(slice: slice)
    var interaction = Interaction()
    interaction.prompt = promptType.record
    interaction.loginHint = loginHint
    interaction.domainHint = domainHint
    interaction.extraScopesToConsent = extraScopesToConsent ?? []
    record.interaction = interaction
    if preferredAuthMethod == .qrpin { record.extraQueryParameters["pc"] = "18" }
    return record
  }
}

extension MSALSilentTokenParameters {
  func record(slice: MSALSliceConfig?) throws -> TokenParameters {
    // MSAuth would take the current account.
    guard account != nil else { throw MSALInternalError.accountRequired.error("a silent request requires an account") }
    var record = try sharedRecord(slice: slice)
    record.forceRefresh = forceRefresh
    record.interaction = nil
    return record
  }
}

extension MSALSignoutParameters {
  func record() -> SignOutParameters {
    var record = SignOutParameters()
    record.fromBrowser = signoutFromBrowser
    record.wipesAccount = wipeAccount
    record.wipesAllAccounts = wipeCacheForAllAccounts
    record.extraQueryParameters = extraQueryParameters ?? [:]
    return record
  }
}

extension MSALTokenParameters {
  fileprivate func sharedRecord(slice: MSALSliceConfig?) throws -> TokenParameters {
    guard authenticationScheme.map({ $0.scheme == .bearer }) ?? true else {
      throw MSALInternalError.invalidParameter.error(
        "signed HTTP requests (MSALAuthenticationSchemePop) aren't available on Linux"
      )
    }
    var record = TokenParameters(scopes: scopes, account: account?.record)
    record.authority = authority?.authority
    record.claims = claimsRequest?.record.json
    record.correlationID = correlationId?.uuidString.lowercased()
    record.extraQueryParameters = (slice?.parameters ?? [:]).merging(extraQueryParameters ?? [:]) { _, extra in extra }
    return record
  }
}

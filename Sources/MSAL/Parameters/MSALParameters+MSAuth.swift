import MSAuth

extension MSALInteractiveTokenParameters {
  func tokenParameters(slice: MSALSliceConfig?) throws -> TokenParameters {
    var parameters = try sharedParameters(slice: slice)
    var interaction = Interaction()
    interaction.prompt = promptType.prompt
    interaction.loginHint = loginHint
    interaction.domainHint = domainHint
    interaction.extraScopesToConsent = extraScopesToConsent ?? []
    parameters.interaction = interaction
    if preferredAuthMethod == .qrpin { parameters.extraQueryParameters["pc"] = "18" }
    return parameters
  }
}

extension MSALSilentTokenParameters {
  func tokenParameters(slice: MSALSliceConfig?) throws -> TokenParameters {
    // MSAuth would take the current account.
    guard account != nil else { throw MSALInternalError.accountRequired.error("a silent request requires an account") }
    var parameters = try sharedParameters(slice: slice)
    parameters.forceRefresh = forceRefresh
    parameters.interaction = nil
    return parameters
  }
}

extension MSALSignoutParameters {
  func signOutParameters() -> SignOutParameters {
    var parameters = SignOutParameters()
    parameters.fromBrowser = signoutFromBrowser
    parameters.wipesAccount = wipeAccount
    parameters.wipesAllAccounts = wipeCacheForAllAccounts
    parameters.extraQueryParameters = extraQueryParameters ?? [:]
    return parameters
  }
}

extension MSALTokenParameters {
  fileprivate func sharedParameters(slice: MSALSliceConfig?) throws -> TokenParameters {
    guard authenticationScheme.map({ $0.scheme == .bearer }) ?? true else {
      throw MSALInternalError.invalidParameter.error(
        "signed HTTP requests (MSALAuthenticationSchemePop) aren't available on Linux"
      )
    }
    var parameters = TokenParameters(scopes: scopes, account: account?.account)
    parameters.authority = authority?.authority
    parameters.claims = claimsRequest?.claims.json
    parameters.correlationID = correlationId?.uuidString.lowercased()
    parameters.extraQueryParameters = (slice?.parameters ?? [:]).merging(extraQueryParameters ?? [:]) { $1 }
    return parameters
  }
}

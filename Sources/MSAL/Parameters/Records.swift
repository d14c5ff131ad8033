import Foundation
import MSAuth

// The parameters for MSAuth.

extension MSALInteractiveTokenParameters {
  func record(slice: MSALSliceConfig?) throws -> InteractiveTokenParameters {
    try refuseOtherSchemes()
    var record = InteractiveTokenParameters(scopes: scopes)
    record.account = account?.record
    record.authority = authority?.authority
    record.prompt = promptType.record
    record.loginHint = loginHint
    record.domainHint = domainHint
    record.extraScopesToConsent = extraScopesToConsent ?? []
    record.claims = claimsRequest?.record.json
    record.correlationID = correlationId?.uuidString.lowercased()
    record.extraQueryParameters = (slice?.parameters ?? [:]).merging(extraQueryParameters ?? [:]) { _, own in own }
    if preferredAuthMethod == .qrpin {
      record.extraQueryParameters["pc"] = "18"
    }
    return record
  }
}

extension MSALSilentTokenParameters {
  func record(slice: MSALSliceConfig?) throws -> SilentTokenParameters {
    try refuseOtherSchemes()
    guard let account else {
      throw NSError(AuthenticationError(.accountRequired, "a silent request needs an account"))
    }
    var record = SilentTokenParameters(scopes: scopes, account: account.record)
    record.authority = authority?.authority
    record.forceRefresh = forceRefresh
    record.claims = claimsRequest?.record.json
    record.correlationID = correlationId?.uuidString.lowercased()
    record.extraQueryParameters = (slice?.parameters ?? [:]).merging(extraQueryParameters ?? [:]) { _, own in own }
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
  fileprivate func refuseOtherSchemes() throws {
    guard authenticationScheme.map({ $0.scheme == .bearer }) ?? true else {
      throw MSALInternalError.invalidParameter.error(
        "signed HTTP requests (MSALAuthenticationSchemePop) are not available on Linux"
      )
    }
  }
}

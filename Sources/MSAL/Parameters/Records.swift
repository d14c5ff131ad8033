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
    record.extraQueryParameters = parameterList(extraQueryParameters) + (slice?.parameters ?? [])
    if preferredAuthMethod == .qrpin {
      record.extraQueryParameters.append(("pc", "18"))
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
    record.extraQueryParameters = parameterList(extraQueryParameters) + (slice?.parameters ?? [])
    return record
  }
}

extension MSALSignoutParameters {
  func record() -> SignOutParameters {
    var record = SignOutParameters()
    record.fromBrowser = signoutFromBrowser
    record.wipesAccount = wipeAccount
    record.wipesAllAccounts = wipeCacheForAllAccounts
    record.extraQueryParameters = parameterList(extraQueryParameters)
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

/// Parameters in order of their names, so that equal requests have equal addresses.
private func parameterList(_ parameters: [String: String]?) -> [(name: String, value: String)] {
  (parameters ?? [:]).sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
}

import Foundation
import MSAuth

// What the parameters say, in MSAuth's words.

extension MSALInteractiveTokenParameters {
  func record(slice: MSALSliceConfig?) throws -> InteractiveTokenParameters {
    try refuseOtherSchemes()
    var record = InteractiveTokenParameters(scopes: scopes)
    record.account = account?.record
    record.authority = authority?.rule
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
    record.authority = authority?.rule
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
      throw MSALInternalError.invalidParameter.error("only bearer tokens are available on Linux")
    }
  }
}

/// Parameters in order of their names, so that equal requests have equal addresses.
private func parameterList(_ parameters: [String: String]?) -> [(name: String, value: String)] {
  (parameters ?? [:]).sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
}

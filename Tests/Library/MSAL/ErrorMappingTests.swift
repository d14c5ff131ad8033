import Foundation
import MSAuthCore

import Testing

@testable import MSAL
@testable import MSAuth

@Suite("errors in MSAL's terms")
struct ErrorMappingTests {
  struct Meaning: Sendable {
    let error: AuthenticationError
    let code: MSALError
    var internalCode: MSALInternalError?
  }

  private static func server(_ error: String, subError: String? = nil, codes: [Int] = []) -> AuthenticationError {
    let provider = ProviderError(error: error, subError: subError, codes: codes)
    return AuthenticationError(.serverError, "refused", reason: .init(rawValue: error), provider: provider)
  }

  private static func answered(_ status: Int, _ code: AuthenticationError.Code) -> AuthenticationError {
    var error = AuthenticationError(code, "no page", reason: .init(rawValue: "http_\(status)"))
    error.httpStatus = status
    return error
  }

  static let meanings: [Meaning] = [
    Meaning(error: AuthenticationError(.interactionRequired, "sign in"), code: .interactionRequired),
    Meaning(error: AuthenticationError(.userCanceled, "denied"), code: .userCanceled),
    Meaning(error: AuthenticationError(.canceled, "cancelled"), code: .userCanceled),
    Meaning(error: AuthenticationError(.serverDeclinedScopes, "less"), code: .serverDeclinedScopes),
    Meaning(error: AuthenticationError(.accountRequired, "who"), code: .internal, internalCode: .accountRequired),
    Meaning(error: AuthenticationError(.ambiguousAccount, "two"), code: .internal, internalCode: .ambiguousAccount),
    Meaning(error: AuthenticationError(.timedOut, "late"), code: .internal, internalCode: .sessionCanceled),
    Meaning(
      error: answered(503, .providerUnreachable),
      code: .internal,
      internalCode: .unhandledResponse
    ),
    Meaning(
      error: AuthenticationError(.providerUnreachable, "busy", reason: "server_unavailable"),
      code: .internal,
      internalCode: .unhandledResponse
    ),
    Meaning(error: AuthenticationError(.serverError, "no"), code: .internal, internalCode: .unhandledResponse),
    Meaning(error: server("invalid_request"), code: .internal, internalCode: .invalidRequest),
    Meaning(error: server("invalid_client"), code: .internal, internalCode: .invalidClient),
    Meaning(error: server("invalid_grant"), code: .internal, internalCode: .invalidGrant),
    Meaning(error: server("invalid_scope"), code: .internal, internalCode: .invalidScope),
    Meaning(error: server("unauthorized_client"), code: .internal, internalCode: .unauthorizedClient),
    Meaning(error: server("something_else"), code: .internal, internalCode: .authorizationFailed),
    Meaning(error: server("invalid_grant", codes: [50142]), code: .serverInvalidRequestResetPasswordRequired),
    Meaning(
      error: server("unauthorized_client", subError: "protection_policy_required"),
      code: .serverProtectionPoliciesRequired
    ),
    Meaning(error: AuthenticationError(.invalidResponse, "bad"), code: .internal, internalCode: .invalidResponse),
    Meaning(
      error: answered(404, .invalidResponse),
      code: .internal,
      internalCode: .unexpectedHttpResponse
    ),
    Meaning(
      error: AuthenticationError(.invalidResponse, "other issuer", reason: .invalidMetadata),
      code: .internal,
      internalCode: .failedAuthorityValidation
    ),
    Meaning(error: AuthenticationError(.storeUnavailable, "locked"), code: .internal, internalCode: .unexpected),
    Meaning(error: AuthenticationError(.listenerFailed, "port"), code: .internal, internalCode: .invalidRedirectURI),
    Meaning(
      error: AuthenticationError(.invalidConfiguration, "uri", reason: .redirectURIInvalid),
      code: .internal,
      internalCode: .invalidRedirectURI
    ),
    Meaning(error: AuthenticationError(.invalidConfiguration, "id"), code: .internal, internalCode: .invalidParameter),
    Meaning(error: AuthenticationError(.invalidParameter, "scope"), code: .internal, internalCode: .invalidParameter),
    Meaning(error: AuthenticationError(.internalError, "random"), code: .internal, internalCode: .unexpected),
    Meaning(
      error: AuthenticationError(.internalError, "no browser", reason: .browserNotOpened),
      code: .internal,
      internalCode: .noViewController
    ),
  ]

  @Test("each error has MSAL's domain and code, and its internal code if any", arguments: meanings)
  func codes(_ meaning: Meaning) {
    let thrown: any Error = NSError(meaning.error)
    let error = thrown as NSError
    #expect(error.domain == MSALErrorDomain)
    #expect(error.code == meaning.code.rawValue)
    #expect(error.userInfo[MSALInternalErrorCodeKey] as? Int == meaning.internalCode?.rawValue)
    #expect(error.userInfo[MSALErrorDescriptionKey] as? String == meaning.error.message)
    #expect(error.localizedDescription == meaning.error.message)
  }

  @Test("every code of the library is mapped", arguments: AuthenticationError.Code.allCases)
  func complete(_ code: AuthenticationError.Code) {
    #expect(Self.meanings.contains { $0.error.code == code })
  }

  @Test("the provider's error is in the user info")
  func provider() {
    let provider = ProviderError(
      error: "invalid_grant",
      description: "AADSTS50076: …",
      subError: "basic_action",
      codes: [50076, 50078],
      correlationID: "c0ffee00-0000-0000-0000-000000000000"
    )
    let account = Account(identifier: "u.t", username: "ada@contoso.example", environment: "login.example")
    let info = NSError(
      AuthenticationError(.interactionRequired, "sign in", hint: "run it", provider: provider),
      about: account
    ).userInfo
    #expect(info[MSALOAuthErrorKey] as? String == "invalid_grant")
    #expect(info[MSALOAuthSubErrorKey] as? String == "basic_action")
    #expect(info[MSALSTSErrorCodesKey] as? [Int] == [50076, 50078])
    #expect(info[MSALCorrelationIDKey] as? String == "c0ffee00-0000-0000-0000-000000000000")
    #expect(info[MSALHomeAccountIdKey] as? String == "u.t")
    #expect(info[MSALDisplayableUserIdKey] as? String == "ada@contoso.example")
    #expect(info[MSALInternalErrorCodeKey] == nil)
    #expect(info[NSLocalizedRecoverySuggestionErrorKey] as? String == "run it")
  }

  @Test("declined scopes are returned with the granted ones and the result")
  func declined() throws {
    let account = Account(identifier: "u.t", username: "ada@contoso.example", environment: "login.example")
    let result = TokenResult(
      accessToken: "token",
      expiresOn: Date(timeIntervalSince1970: 1),
      scopes: ["User.Read"],
      account: account
    )
    let error = NSError(
      AuthenticationError(.serverDeclinedScopes, "less", result: result),
      asking: ["user.read", "Mail.Send"]
    )
    #expect(error.code == MSALError.serverDeclinedScopes.rawValue)
    #expect(error.userInfo[MSALGrantedScopesKey] as? [String] == ["User.Read"])
    #expect(error.userInfo[MSALDeclinedScopesKey] as? [String] == ["Mail.Send"])
    #expect(try #require(error.userInfo[MSALInvalidResultKey] as? MSALResult).accessToken == "token")
  }

  @Test("network errors are URLSession's, as in MSAL")
  func offline() {
    let error = NSError(AuthenticationError(.providerUnreachable, "login.example: no route", reason: .unreachable))
    #expect(error.domain == NSURLErrorDomain && error.code == NSURLErrorCannotConnectToHost)
    #expect(error.userInfo[MSALErrorDescriptionKey] as? String == "login.example: no route")
  }

  @Test("a provider's server error is internal with serverError inside, as in MSAL")
  func serverError() {
    let provider = ProviderError(error: "server_error")
    let error = NSError(
      AuthenticationError(.providerUnreachable, "no", reason: .init(rawValue: "server_error"), provider: provider)
    )
    #expect(error.code == MSALError.internal.rawValue)
    #expect(error.userInfo[MSALInternalErrorCodeKey] as? Int == MSALError.serverError.rawValue)
  }

  @Test("a throttled error is marked")
  func throttled() {
    var error = AuthenticationError(.interactionRequired, "sign in")
    #expect(NSError(error).userInfo[MSALThrottlingCacheHitKey] == nil)
    error.isThrottled = true
    #expect(NSError(error).userInfo[MSALThrottlingCacheHitKey] as? Bool == true)
  }

  @Test("the numbers are MSAL's")
  func numbers() {
    #expect(MSALError.internal.rawValue == -50000)
    #expect(MSALError.interactionRequired.rawValue == -50002)
    #expect(MSALError.userCanceled.rawValue == -50005)
    #expect(MSALInternalError.interactiveSessionAlreadyRunning.rawValue == -42402)
    #expect(MSALErrorDomain == "MSALErrorDomain")
  }
}

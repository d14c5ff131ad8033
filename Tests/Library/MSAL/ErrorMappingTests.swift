import Foundation
import MSAuthCore
import Testing

@testable import MSAL
@testable import MSAuth

@Suite("errors in MSAL's terms")
struct ErrorMappingTests {
  struct MappedError: Sendable {
    let error: AuthenticationError
    let code: MSALError
    let internalCode: MSALInternalError?

    init(_ error: AuthenticationError, _ code: MSALError) {
      (self.error, self.code, internalCode) = (error, code, nil)
    }

    init(_ error: AuthenticationError, internal internalCode: MSALInternalError) {
      (self.error, code, self.internalCode) = (error, .internal, internalCode)
    }
  }

  private static func server(_ error: String, subError: String? = nil, codes: [Int] = []) -> AuthenticationError {
    var failure = AuthenticationError(.serverError, "rejected", reason: .init(rawValue: error))
    failure.provider = ProviderError(error: error, subError: subError, codes: codes)
    return failure
  }

  private static func failure(
    _ code: AuthenticationError.Code,
    _ reason: AuthenticationError.Reason? = nil,
    status: Int? = nil
  ) -> AuthenticationError {
    var error = AuthenticationError(code, "\(code.rawValue) failed", reason: reason)
    error.httpStatus = status
    return error
  }

  static let mappedErrors: [MappedError] = [
    MappedError(failure(.interactionRequired), .interactionRequired),
    MappedError(failure(.userCanceled), .userCanceled),
    MappedError(failure(.canceled), .userCanceled),
    MappedError(failure(.serverDeclinedScopes), .serverDeclinedScopes),
    MappedError(failure(.accountRequired), internal: .accountRequired),
    MappedError(failure(.accountRequired, .otherAccount), internal: .mismatchedUser),
    MappedError(failure(.ambiguousAccount), internal: .ambiguousAccount),
    MappedError(failure(.timedOut), internal: .sessionCanceled),
    MappedError(failure(.providerUnreachable), internal: .unhandledResponse),
    MappedError(failure(.serverError), internal: .unhandledResponse),
    MappedError(server("invalid_request"), internal: .invalidRequest),
    MappedError(server("invalid_client"), internal: .invalidClient),
    MappedError(server("invalid_grant"), internal: .invalidGrant),
    MappedError(server("invalid_scope"), internal: .invalidScope),
    MappedError(server("unauthorized_client"), internal: .unauthorizedClient),
    MappedError(server("something_else"), internal: .authorizationFailed),
    MappedError(server("invalid_grant", codes: [50142]), .serverInvalidRequestResetPasswordRequired),
    MappedError(
      server("unauthorized_client", subError: "protection_policy_required"),
      .serverProtectionPoliciesRequired
    ),
    MappedError(failure(.invalidResponse), internal: .invalidResponse),
    MappedError(failure(.invalidResponse, "http_404", status: 404), internal: .unexpectedHttpResponse),
    MappedError(failure(.invalidResponse, .accountMismatch), internal: .mismatchedUser),
    MappedError(failure(.invalidResponse, .invalidMetadata), internal: .failedAuthorityValidation),
    MappedError(failure(.storeUnavailable), internal: .unexpected),
    MappedError(failure(.listenerFailed), internal: .invalidRedirectURI),
    MappedError(failure(.invalidConfiguration, .redirectURIInvalid), internal: .invalidRedirectURI),
    MappedError(failure(.invalidConfiguration, .brokerAbsent), internal: .brokerNotAvailable),
    MappedError(failure(.invalidConfiguration), internal: .invalidParameter),
    MappedError(failure(.invalidParameter), internal: .invalidParameter),
    MappedError(failure(.internalError), internal: .unexpected),
    MappedError(failure(.internalError, .browserNotOpened), internal: .noViewController),
  ]

  @Test("each error has MSAL's domain and code, and its internal code if any", arguments: mappedErrors)
  func codes(_ mapped: MappedError) {
    let thrown: any Error = NSError(mapped.error)
    let error = thrown as NSError
    #expect(error.domain == MSALErrorDomain && error.code == mapped.code.rawValue)
    #expect(error.userInfo[MSALInternalErrorCodeKey] as? Int == mapped.internalCode?.rawValue)
    let texts = [error.userInfo[MSALErrorDescriptionKey] as? String, error.localizedDescription]
    #expect(texts == [mapped.error.message, mapped.error.message])
  }

  @Test("every code of the library is mapped", arguments: AuthenticationError.Code.allCases)
  func complete(_ code: AuthenticationError.Code) {
    #expect(Self.mappedErrors.contains { $0.error.code == code })
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
    var error = AuthenticationError(.interactionRequired, "sign in", hint: "run it")
    error.provider = provider
    let info = NSError(error, about: account).userInfo
    let texts = [
      MSALOAuthErrorKey: "invalid_grant", MSALOAuthSubErrorKey: "basic_action",
      MSALCorrelationIDKey: "c0ffee00-0000-0000-0000-000000000000", MSALHomeAccountIdKey: "u.t",
      MSALDisplayableUserIdKey: "ada@contoso.example", NSLocalizedRecoverySuggestionErrorKey: "run it",
    ]
    for (key, text) in texts { #expect(info[key] as? String == text, "\(key)") }
    #expect(info[MSALSTSErrorCodesKey] as? [Int] == [50076, 50078] && info[MSALInternalErrorCodeKey] == nil)
  }

  @Test("declined scopes are returned with the granted ones and the result")
  func declined() throws {
    let account = Account(identifier: "u.t", username: "ada@contoso.example", environment: "login.example")
    var declined = AuthenticationError(.serverDeclinedScopes, "less")
    declined.result = TokenResult(accessToken: "token", expiresOn: .now, scopes: ["User.Read"], account: account)
    declined.declinedScopes = ["Mail.Send"]
    let error = NSError(declined)
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
    var unavailable = AuthenticationError(.providerUnreachable, "no", reason: "server_error")
    unavailable.provider = ProviderError(error: "server_error")
    let error = NSError(unavailable)
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
    let codes: [(MSALError, Int)] = [
      (.internal, -50000), (.interactionRequired, -50002), (.serverDeclinedScopes, -50003),
      (.serverProtectionPoliciesRequired, -50004), (.userCanceled, -50005), (.serverError, -50006),
      (.serverInvalidRequestResetPasswordRequired, -50142),
    ]
    for (code, number) in codes { #expect(code.rawValue == number, "\(code)") }
    let internalCodes: [(MSALInternalError, Int)] = [
      (.invalidParameter, -42000), (.invalidRequest, -42002), (.invalidClient, -42003), (.invalidGrant, -42004),
      (.invalidScope, -42005), (.unauthorizedClient, -42006), (.unhandledResponse, -42007), (.unexpected, -42008),
      (.invalidRedirectURI, -42011), (.ambiguousAccount, -42102), (.authorizationFailed, -42104),
      (.accountRequired, -42106), (.sessionCanceled, -42401), (.interactiveSessionAlreadyRunning, -42402),
      (.invalidResponse, -42600),
    ]
    for (code, number) in internalCodes { #expect(code.rawValue == number, "\(code)") }
    #expect(MSALErrorDomain == "MSALErrorDomain")
  }
}

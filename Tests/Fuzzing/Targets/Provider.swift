import FoundationEssentials
import MSAuthCore

@testable import MSAuthOAuth

private let now: UnixTime = 1_700_000_000

/// The responses of a provider's endpoints.
@Sendable func fuzzProvider(_ input: Input) {
  var input = input
  let kind = input.byte()
  let response = EndpointResponse(status: 200, body: input.bytes)
  do {
    switch kind {
    case UInt8(ascii: "t"): try checkTokenResponse(response, .bearer)
    case UInt8(ascii: "p"): try checkTokenResponse(response, .dpop)
    case UInt8(ascii: "d"): try checkDeviceResponse(response)
    case UInt8(ascii: "u"): try checkUserInfo(response)
    case UInt8(ascii: "e"): if let error = ProviderError(parsing: input.bytes) { check(error) }
    case UInt8(ascii: "c"): checkClientInfo(input.bytes)
    default: try checkMetadata(input.bytes, authorities[Int(kind) % authorities.count])
    }
  } catch {
    requirePrintable(error.message, "a message")
    requirePrintable(error.hint?.description, "a hint")
    if let error = error.provider { check(error) }
  }
}

private let authorities: [Authority] = [
  "https://id.example/", "http://127.0.0.1:8080/issuer", "https://login.microsoftonline.com/common",
  "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad", "https://contoso.ciamlogin.com/",
  "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_si", "https://fs.contoso.example/adfs",
].compactMap { try? Authority($0) }

private func checkMetadata(_ bytes: [UInt8], _ authority: Authority) throws(AuthenticationError) {
  let metadata = try ProviderMetadata(parsing: bytes, for: authority)
  let endpoints = [
    metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.jwksURI, metadata.endSessionEndpoint,
    metadata.revocationEndpoint, metadata.userinfoEndpoint, metadata.deviceAuthorizationEndpoint,
    metadata.pushedAuthorizationRequestEndpoint,
  ]
  for endpoint in endpoints.compactMap(\.self) {
    let url = require(try? WebURL(endpoint, .endpoint), "an endpoint is a URL")
    require(url.isSecure || url.isLoopback && authority.isPlainHTTP, "an endpoint uses https, or is on this machine")
  }
  let again = try? ProviderMetadata(parsing: JSONValue.object(metadata.json).serialized(), for: authority)
  require(again == metadata, "stored metadata round-trips")
}

private func checkTokenResponse(_ endpoint: EndpointResponse, _ type: TokenType) throws(AuthenticationError) {
  let response = try TokenResponse(endpoint, type: type, requestedScopes: Scopes(["User.Read"]), now: now)
  require(response.accessToken.isEmpty == (response.flaw != nil), "only an unusable response has no access token")
  let accessToken = response.flaw == nil ? response.accessToken : nil
  let tokens = [accessToken, response.refreshToken, response.idToken, response.clientInfo]
  for token in tokens.compactMap(\.self) {
    require(token.revealed.utf8.allSatisfy(\.isASCIIVisible) && !token.isEmpty, "a token has visible characters")
  }
  require(response.type == type, "a token has the requested type")
  for time in [response.expiresOn, response.extendedExpiresOn, response.refreshOn].compactMap(\.self) {
    require((now...now + Lifetime.limit).contains(time), "a token expires within its limit")
  }
  requirePrintable(response.scopes.joined + (response.familyID ?? ""), "a token response")
}

private func checkDeviceResponse(_ endpoint: EndpointResponse) throws(AuthenticationError) {
  let response = try DeviceAuthorizationResponse(endpoint)
  requirePrintable(response.userCode, "a user code")
  require((1...60).contains(response.interval), "a polling interval is within its limits")
  require((1...Lifetime.limit).contains(response.expiresIn), "a device code expires within its limit")
  for page in [response.verificationURI, response.verificationURIComplete].compactMap(\.self) {
    let url = require(try? WebURL(page, .endpoint), "a page is a URL")
    require(url.isSecure || url.isLoopback, "a page uses https, or is on this machine")
  }
}

private func checkUserInfo(_ endpoint: EndpointResponse) throws(AuthenticationError) {
  let claims = try IDTokenClaims(userInfo: endpoint, about: "248289761001")
  require(claims.subject?.isIdentical(to: "248289761001") == true, "claims have the requested subject")
  _ = (claims.username, claims.audience, claims.expiresAt)
}

private func checkClientInfo(_ bytes: [UInt8]) {
  let texts = [String(decoding: bytes, as: UTF8.self), Base64URL.encode(bytes)]
  for text in texts {
    guard let info = try? ClientInfo(parsing: Secret(text)) else { continue }
    require(info.homeAccountID.utf8.allSatisfy(\.isASCIIVisible), "an account ID has visible characters")
  }
}

/// Checks the text of a provider's error.
func check(_ error: ProviderError) {
  let texts = [
    error.error, error.description, error.subError, error.subcode, error.correlationID, error.traceID,
    error.message,
  ]
  for text in texts { requirePrintable(text, "a provider's error") }
  if let claims = error.claims {
    require((try? JSONValue.object(parsing: claims.utf8)) != nil, "claims are a JSON object")
  }
  if let page = error.errorURI {
    require((try? WebURL(page.absoluteString))?.isSecure == true, "an error page uses https")
  }
  _ = (error.meansInteractionRequired, error.meansDenied, error.meansTryAgain, DevicePoll(error))
}

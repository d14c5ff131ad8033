import FlyingFox
import Foundation
import MSAuthCore

/// The changes that the active faults make at each step of the protocol.
struct Injector: Sendable {
  typealias Pairs = [(name: String, value: String)]
  typealias Change<Value> = @Sendable (inout Value) -> Void
  typealias Step<Value> = WritableKeyPath<Injector, [Change<Value>]> & Sendable

  var metadata: [Change<JSONValue.Object>] = []
  /// The parameters that the browser carries back to the application.
  var redirect: [Change<Pairs>] = []
  var idToken: [Change<JSONValue.Object>] = []
  /// The ID token of a refresh, after the changes to every ID token.
  var refreshed: [Change<JSONValue.Object>] = []
  var header: [Change<JSONValue.Object>] = []
  var signature: [Change<[UInt8]>] = []
  var tokenResponse: [Change<JSONValue.Object>] = []
  var refreshResponse: [Change<JSONValue.Object>] = []
  /// The status and the header fields of a response with tokens.
  var tokenHead: [Change<HTTPResponse>] = []
  var userinfo: [Change<JSONValue.Object>] = []
  var signOutResponse: [Change<Pairs>] = []

  /// The tenant in the `iss` of Entra's redirects (RFC 9207), which usually lack it.
  var issuerTenant: Tenant?
  var authorizationError: ProtocolError?
  var tokenError: ProtocolError?
  var refreshError: ProtocolError?
  /// For a refresh that requests claims.
  var claimsError: ProtocolError?
  /// For pushed authorization requests (RFC 9126 §2.3).
  var pushError: ProtocolError?

  /// Responses that replace the endpoints'.
  var keysOverride: HTTPResponse?
  var tokenOverride: HTTPResponse?
  /// For the first token request only.
  var firstTokenOverride: HTTPResponse?
  var revocationOverride: HTTPResponse?

  var keys: KeyFault?
  var dpop: DPoPFault?
  /// Whether the metadata offers pushed authorization requests.
  var offersPushing = false
  var requiresPushing = false
  /// Whether the first poll of a device gets `slow_down`.
  var slowsDevices = false
  var graphChallenge: GraphChallenge?

  init(_ faults: Set<Fault>) {
    for fault in faults.sorted(by: { $0.rawValue < $1.rawValue }) { fault.inject(&self) }
  }

  func apply<Value>(_ step: any Step<Value>, to value: inout Value) {
    for change in self[keyPath: step] { change(&value) }
  }
}

/// Faults of the published keys.
enum KeyFault: Sendable {
  /// Another key of the same kind is published.
  case several
  /// The key is replaced when a sign-in begins.
  case rotatedBetweenSignIns
  /// The key is replaced after the client could read it.
  case rotatedBeforeSigning
}

enum DPoPFault: Sendable {
  /// Each proof requires a nonce, and each nonce is accepted once.
  case nonceRequired
  /// No nonce is ever accepted.
  case nonceLoop
  /// A nonce is required but never supplied.
  case nonceWithheld
  /// Only resources require nonces, and their challenges spell the scheme `dPoP`.
  case otherSchemeCase
}

/// A resource's requirement in addition to a valid token.
struct GraphChallenge: Sendable {
  /// RFC 6750 §3.1.
  var status = 401
  /// The value of `WWW-Authenticate`.
  var field: String
  var isMet: @Sendable (_ grant: Grant, _ now: UnixTime) -> Bool

  /// Continuous access evaluation: a token issued after the time in the claims.
  static let insufficientClaims = {
    let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1604106651"}}}"#
    return GraphChallenge(
      field: #"Bearer realm="", authorization_uri="https://login.example/authorize", error="insufficient_claims", "#
        + #"claims="\#(Data(claims.utf8).base64EncodedString())""#
    ) { grant, _ in grant.accessTokenClaims.contains("nbf") }
  }()

  /// A recent sign-in with a stronger method (RFC 9470).
  static let stepUp = GraphChallenge(
    field: #"Bearer error="insufficient_user_authentication", "#
      + #"error_description="A second factor is required", acr_values="urn:demo:two-factors", max_age="60""#
  ) { grant, now in grant.acrValues.contains("urn:demo:two-factors") && now - grant.signIn.authTime <= 60 }

  /// An additional scope (RFC 6750 §3.1).
  static let insufficientScope = GraphChallenge(
    status: 403,
    field: #"Bearer realm="graph", error="insufficient_scope", scope="Mail.Read""#
  ) { grant, _ in grant.scopes.contains { $0.hasSuffix("Mail.Read") } }
}

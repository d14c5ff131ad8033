import FlyingFox
import MSAuthCore

/// The changes that the active faults make at each step of the protocol.
struct Injector: Sendable {
  typealias Pairs = [(name: String, value: String)]
  typealias Step<Value> = WritableKeyPath<Injector, [@Sendable (inout Value) -> Void]> & Sendable

  var metadata: [@Sendable (inout JSONValue.Object) -> Void] = []
  /// The parameters that the browser carries back to the application.
  var authorizationResponse: [@Sendable (inout Pairs) -> Void] = []
  var idToken: [@Sendable (inout JSONValue.Object) -> Void] = []
  var refreshedIDToken: [@Sendable (inout JSONValue.Object) -> Void] = []
  var header: [@Sendable (inout JSONValue.Object) -> Void] = []
  var signature: [@Sendable (inout [UInt8]) -> Void] = []
  var tokenResponse: [@Sendable (inout JSONValue.Object) -> Void] = []
  var refreshResponse: [@Sendable (inout JSONValue.Object) -> Void] = []
  /// The serialized token response, for what a JSON writer can't write.
  var tokenText: [@Sendable (inout String) -> Void] = []
  var userinfo: [@Sendable (inout JSONValue.Object) -> Void] = []
  var signOutResponse: [@Sendable (inout Pairs) -> Void] = []

  /// The tenant in the `iss` of Entra's redirects (RFC 9207), which usually lack it.
  var authorizationIssuer: String?
  var authorizationError: ProtocolError?
  var tokenError: ProtocolError?
  var refreshError: ProtocolError?
  /// For a refresh that requests claims.
  var claimsError: ProtocolError?
  /// For pushed authorization requests (RFC 9126 §2.3).
  var pushError: ProtocolError?

  /// A response in place of the endpoint's.
  var keysAnswer: (@Sendable () -> HTTPResponse)?
  var tokenAnswer: (@Sendable () -> HTTPResponse)?
  /// For the first token request only.
  var tokenAnswerOnce: (@Sendable () -> HTTPResponse)?
  var revocationAnswer: (@Sendable () -> HTTPResponse)?

  var keys: KeyFault?
  var dpop: DPoPFault?
  /// Whether the first poll of a device gets `slow_down`.
  var slowsDevices: Bool?
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

/// What a resource requires in addition to a valid token.
enum GraphChallenge: Sendable {
  /// Continuous access evaluation: a token issued after the time in the claims.
  case insufficientClaims
  /// A recent sign-in with a stronger method (RFC 9470).
  case stepUp
  /// An additional scope (RFC 6750 §3.1).
  case insufficientScope

  private static let scope = "Mail.Read"
  private static let context = "urn:demo:two-factors"
  /// In seconds.
  private static let maximumAuthenticationAge: Int64 = 60

  func isMet(by grant: Grant, now: UnixTime) -> Bool {
    switch self {
    case .insufficientClaims: grant.accessTokenClaims.contains("nbf")
    case .insufficientScope: grant.scopes.contains { $0.hasSuffix(Self.scope) }
    case .stepUp: grant.acrValues.contains(Self.context) && now - grant.authTime <= Self.maximumAuthenticationAge
    }
  }

  /// RFC 6750 §3.1.
  var status: Int {
    switch self {
    case .insufficientClaims, .stepUp: 401
    case .insufficientScope: 403
    }
  }

  /// The value of `WWW-Authenticate`.
  var field: String {
    switch self {
    case .insufficientClaims:
      let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1604106651"}}}"#
      // Microsoft adds padding.
      let encoded = Base64URL.encode(Array(claims.utf8))
      let padding = String(repeating: "=", count: (4 - encoded.utf8.count % 4) % 4)
      return "Bearer realm=\"\", authorization_uri=\"https://login.example/authorize\", error=\"insufficient_claims\", "
        + "claims=\"\(encoded)\(padding)\""
    case .insufficientScope:
      return "Bearer realm=\"graph\", error=\"insufficient_scope\", scope=\"\(Self.scope)\""
    case .stepUp:
      return "Bearer error=\"insufficient_user_authentication\", "
        + "error_description=\"A second factor is required\", acr_values=\"\(Self.context)\", "
        + "max_age=\"\(Self.maximumAuthenticationAge)\""
    }
  }
}

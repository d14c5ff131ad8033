import FlyingFox
import Core

/// A change that a fault makes at one step of the protocol.
enum Injection: Sendable {
  typealias Object = JSON.Object
  typealias Pairs = [(name: String, value: String)]

  /// The metadata document.
  case metadata(@Sendable (inout Object) -> Void)
  /// Which keys there are.
  case keys(KeyFault)
  /// The parameters that the browser carries back to the application.
  case authorizationResponse(@Sendable (inout Pairs) -> Void)
  /// The tenant that Entra's redirects name in `iss` (RFC 9207); they have none as a rule.
  case authorizationIssuer(String)
  /// An error in place of a sign-in page.
  case authorizationError(ProtocolError)
  /// The claims of every ID token.
  case idToken(@Sendable (inout Object) -> Void)
  /// The claims of an ID token that comes from a refresh.
  case refreshedIDToken(@Sendable (inout Object) -> Void)
  /// The ID token's header.
  case header(@Sendable (inout Object) -> Void)
  /// The ID token's signature; empty is none.
  case signature(@Sendable (inout [UInt8]) -> Void)
  /// The members of a successful token response.
  case tokenResponse(@Sendable (inout Object) -> Void)
  /// The members of a successful response to a refresh.
  case refreshResponse(@Sendable (inout Object) -> Void)
  /// A response in place of the published keys.
  case keysAnswer(@Sendable () -> HTTPResponse)
  /// An error for every token request.
  case tokenError(ProtocolError)
  /// An error for refreshes only.
  case refreshError(ProtocolError)
  /// A response in place of the token endpoint's.
  case tokenAnswer(@Sendable () -> HTTPResponse)
  /// The same, for the first token request only.
  case tokenAnswerOnce(@Sendable () -> HTTPResponse)
  /// The serialized token response, for what no JSON writer writes.
  case tokenText(@Sendable (String) -> String)
  /// An error for a refresh that asks for claims.
  case claimsError(ProtocolError)
  /// An error for every pushed authorization request (RFC 9126 §2.3).
  case pushError(ProtocolError)
  /// Unusual behaviour with DPoP.
  case dpop(DPoPFault)
  /// The first poll of a device is answered with `slow_down`.
  case deviceSlowDown
  /// What Microsoft Graph demands beyond a valid token.
  case graphChallenge(GraphChallenge)
  /// The members of a userinfo response.
  case userinfo(@Sendable (inout Object) -> Void)
  /// A response in place of the revocation endpoint's.
  case revocationAnswer(@Sendable () -> HTTPResponse)
  /// The parameters that come back after a sign-out.
  case signOutResponse(@Sendable (inout Pairs) -> Void)
}

extension Injection {
  /// The metadata of a provider that takes authorization requests over the back channel (RFC 9126 §5).
  @Sendable static func offersPushing(_ document: inout Object) {
    let token = document["token_endpoint"]?.string ?? ""
    document["pushed_authorization_request_endpoint"] = .string(token.replacing("/token", with: "/par"))
  }
}

/// Faults of the published keys.
enum KeyFault: Sendable {
  /// One more key is published, of the same kind.
  case several
  /// The key is replaced when a sign-in begins.
  case rotatedBetweenSignIns
  /// The key is replaced after the client had every chance to read the old one.
  case rotatedBeforeSigning
}

/// Applies all present faults, step by step.
struct FaultInjector: Sendable {
  let injections: [Injection]

  /// - Parameter faults: Those that are on; they act in the order of their names.
  init(_ faults: Set<Fault>) {
    injections = faults.sorted { $0.rawValue < $1.rawValue }.flatMap(\.injections)
  }

  func metadata(_ document: inout Injection.Object) {
    for case .metadata(let change) in injections { change(&document) }
  }

  func authorizationResponse(_ parameters: inout Injection.Pairs) {
    for case .authorizationResponse(let change) in injections { change(&parameters) }
  }

  var authorizationIssuer: String? {
    injections.firstNonNil { if case .authorizationIssuer(let tenant) = $0 { tenant } else { nil } }
  }

  func idToken(_ claims: inout Injection.Object) {
    for case .idToken(let change) in injections { change(&claims) }
  }

  func refreshedIDToken(_ claims: inout Injection.Object) {
    for case .refreshedIDToken(let change) in injections { change(&claims) }
  }

  func header(_ header: inout Injection.Object) {
    for case .header(let change) in injections { change(&header) }
  }

  func signature(_ signature: inout [UInt8]) {
    for case .signature(let change) in injections { change(&signature) }
  }

  func tokenResponse(_ response: inout Injection.Object) {
    for case .tokenResponse(let change) in injections { change(&response) }
  }

  func refreshResponse(_ response: inout Injection.Object) {
    for case .refreshResponse(let change) in injections { change(&response) }
  }

  var keysAnswer: HTTPResponse? {
    injections.firstNonNil { if case .keysAnswer(let answer) = $0 { answer() } else { nil } }
  }

  func userinfo(_ response: inout Injection.Object) {
    for case .userinfo(let change) in injections { change(&response) }
  }

  func signOutResponse(_ parameters: inout Injection.Pairs) {
    for case .signOutResponse(let change) in injections { change(&parameters) }
  }

  var keyFaults: [KeyFault] { injections.compactMap { if case .keys(let fault) = $0 { fault } else { nil } } }

  var authorizationError: ProtocolError? {
    injections.firstNonNil { if case .authorizationError(let error) = $0 { error } else { nil } }
  }

  func tokenError(isRefresh: Bool) -> ProtocolError? {
    injections.firstNonNil { injection in
      switch injection {
      case .tokenError(let error): error
      case .refreshError(let error) where isRefresh: error
      default: nil
      }
    }
  }

  var tokenAnswer: HTTPResponse? {
    injections.firstNonNil { if case .tokenAnswer(let answer) = $0 { answer() } else { nil } }
  }

  var tokenAnswerOnce: HTTPResponse? {
    injections.firstNonNil { if case .tokenAnswerOnce(let answer) = $0 { answer() } else { nil } }
  }

  func tokenText(_ text: String) -> String {
    injections.reduce(text) { text, injection in
      if case .tokenText(let change) = injection { change(text) } else { text }
    }
  }

  var claimsError: ProtocolError? {
    injections.firstNonNil { if case .claimsError(let error) = $0 { error } else { nil } }
  }

  var pushError: ProtocolError? {
    injections.firstNonNil { if case .pushError(let error) = $0 { error } else { nil } }
  }

  var slowsDevices: Bool { injections.contains { if case .deviceSlowDown = $0 { true } else { false } } }

  var graphChallenge: GraphChallenge? {
    injections.firstNonNil { if case .graphChallenge(let challenge) = $0 { challenge } else { nil } }
  }

  var revocationAnswer: HTTPResponse? {
    injections.firstNonNil { if case .revocationAnswer(let answer) = $0 { answer() } else { nil } }
  }
}

extension Sequence {
  /// The first non-nil result.
  func firstNonNil<Result>(_ transform: (Element) -> Result?) -> Result? {
    lazy.compactMap(transform).first
  }
}

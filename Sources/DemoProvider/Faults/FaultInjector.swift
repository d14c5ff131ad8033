import FlyingFox
import Core

/// A change that one fault makes at one step of the protocol.
enum Effect: Sendable {
  typealias Object = [String: JSONValue]
  typealias Pairs = [(name: String, value: String)]

  /// The metadata document.
  case metadata(@Sendable (inout Object) -> Void)
  /// Which keys there are.
  case keys(KeyTrouble)
  /// The parameters that the browser carries back to the application.
  case authorizationResponse(@Sendable (inout Pairs) -> Void)
  /// The tenant that Entra's redirects name in `iss` (RFC 9207); they have none as a rule.
  case authorizationIssuer(String)
  /// A refusal instead of a sign-in page.
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
  /// Anything at all instead of the published keys.
  case keysAnswer(@Sendable () -> HTTPResponse)
  /// A refusal of every token request.
  case tokenError(ProtocolError)
  /// A refusal of a refresh alone.
  case refreshError(ProtocolError)
  /// Anything at all instead of the token endpoint's answer.
  case tokenAnswer(@Sendable () -> HTTPResponse)
  /// The same, but for the first token request alone.
  case tokenAnswerOnce(@Sendable () -> HTTPResponse)
  /// The text of a successful token response, for what no JSON writer writes.
  case tokenText(@Sendable (String) -> String)
  /// A refusal of a refresh that asks for claims.
  case claimsError(ProtocolError)
  /// A refusal of every pushed authorization request (RFC 9126 §2.3).
  case pushError(ProtocolError)
  /// What is unusual about proofs of possession.
  case proofs(ProofTrouble)
  /// Each poll of a device is told to be slower, until the person has answered.
  case deviceSlowDown
  /// What Microsoft Graph wants of a token that was not made for it.
  case graphChallenge(GraphChallenge)
  /// The members of a userinfo response.
  case userinfo(@Sendable (inout Object) -> Void)
  /// Anything at all instead of the revocation endpoint's answer.
  case revocationAnswer(@Sendable () -> HTTPResponse)
  /// The parameters that come back after a sign-out.
  case signOutResponse(@Sendable (inout Pairs) -> Void)
}

extension Effect {
  /// The metadata of a provider that takes authorization requests over the back channel (RFC 9126 §5).
  @Sendable static func offersPushing(_ document: inout Object) {
    let token = document["token_endpoint"]?.string ?? ""
    document["pushed_authorization_request_endpoint"] = .string(token.replacing("/token", with: "/par"))
  }
}

/// What may be wrong with the published keys.
enum KeyTrouble: Sendable {
  /// One more key is published, of the same kind.
  case several
  /// The key is replaced when a sign-in begins.
  case rotatedBetweenSignIns
  /// The key is replaced after the client had every chance to read the old one.
  case rotatedBeforeSigning
}

/// What the present faults do, all together, step by step.
struct FaultInjector: Sendable {
  let effects: [Effect]

  /// - Parameter faults: Those that are on; they act in the order of their names.
  init(_ faults: Set<Fault>) {
    effects = faults.sorted { $0.rawValue < $1.rawValue }.flatMap(\.effects)
  }

  func metadata(_ document: inout Effect.Object) {
    for case .metadata(let change) in effects { change(&document) }
  }

  func authorizationResponse(_ parameters: inout Effect.Pairs) {
    for case .authorizationResponse(let change) in effects { change(&parameters) }
  }

  var authorizationIssuer: String? {
    effects.firstNonNil { if case .authorizationIssuer(let tenant) = $0 { tenant } else { nil } }
  }

  func idToken(_ claims: inout Effect.Object) {
    for case .idToken(let change) in effects { change(&claims) }
  }

  func refreshedIDToken(_ claims: inout Effect.Object) {
    for case .refreshedIDToken(let change) in effects { change(&claims) }
  }

  func header(_ header: inout Effect.Object) {
    for case .header(let change) in effects { change(&header) }
  }

  func signature(_ signature: inout [UInt8]) {
    for case .signature(let change) in effects { change(&signature) }
  }

  func tokenResponse(_ response: inout Effect.Object) {
    for case .tokenResponse(let change) in effects { change(&response) }
  }

  func refreshResponse(_ response: inout Effect.Object) {
    for case .refreshResponse(let change) in effects { change(&response) }
  }

  var keysAnswer: HTTPResponse? {
    effects.firstNonNil { if case .keysAnswer(let answer) = $0 { answer() } else { nil } }
  }

  func userinfo(_ response: inout Effect.Object) {
    for case .userinfo(let change) in effects { change(&response) }
  }

  func signOutResponse(_ parameters: inout Effect.Pairs) {
    for case .signOutResponse(let change) in effects { change(&parameters) }
  }

  var keyTroubles: [KeyTrouble] { effects.compactMap { if case .keys(let trouble) = $0 { trouble } else { nil } } }

  var authorizationError: ProtocolError? {
    effects.firstNonNil { if case .authorizationError(let error) = $0 { error } else { nil } }
  }

  func tokenError(isRefresh: Bool) -> ProtocolError? {
    effects.firstNonNil { effect in
      switch effect {
      case .tokenError(let error): error
      case .refreshError(let error) where isRefresh: error
      default: nil
      }
    }
  }

  var tokenAnswer: HTTPResponse? {
    effects.firstNonNil { if case .tokenAnswer(let answer) = $0 { answer() } else { nil } }
  }

  var tokenAnswerOnce: HTTPResponse? {
    effects.firstNonNil { if case .tokenAnswerOnce(let answer) = $0 { answer() } else { nil } }
  }

  func tokenText(_ text: String) -> String {
    effects.reduce(text) { text, effect in if case .tokenText(let change) = effect { change(text) } else { text } }
  }

  var claimsError: ProtocolError? {
    effects.firstNonNil { if case .claimsError(let error) = $0 { error } else { nil } }
  }

  var pushError: ProtocolError? {
    effects.firstNonNil { if case .pushError(let error) = $0 { error } else { nil } }
  }

  var slowsDevices: Bool { effects.contains { if case .deviceSlowDown = $0 { true } else { false } } }

  var graphChallenge: GraphChallenge? {
    effects.firstNonNil { if case .graphChallenge(let challenge) = $0 { challenge } else { nil } }
  }

  var revocationAnswer: HTTPResponse? {
    effects.firstNonNil { if case .revocationAnswer(let answer) = $0 { answer() } else { nil } }
  }
}

extension Sequence {
  /// The first result that is there.
  func firstNonNil<Result>(_ transform: (Element) -> Result?) -> Result? {
    lazy.compactMap(transform).first
  }
}

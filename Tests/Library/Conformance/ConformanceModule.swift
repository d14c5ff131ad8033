@testable import DemoProvider
import Foundation
import MSAuth
import MSAuthCore
import MSAuthCrypto
import Testing

/// A test of the OpenID Foundation's conformance suite for clients, or an additional one.
struct ConformanceModule: Sendable, CustomTestStringConvertible {
  /// The expected outcome.
  enum Expectation: Sendable, Equatable, CustomStringConvertible {
    /// The client continues, and uses its token at userinfo and at the resource.
    case completes
    /// The client fails with this reason, uses no token, and stores nothing.
    case rejects(String)
    /// The redirect is ignored for this reason.
    case ignores(String)
    /// The reported result of the browser sign-out.
    case signsOut(SignOutReport.Browser)

    var description: String {
      switch self {
      case .completes: "completes"
      case .rejects(let reason): "rejects: `\(reason)`"
      case .ignores(let reason): "ignores the redirect: \(reason)"
      case .signsOut(let report): "sign-out reported as `\(report.rawValue)`"
      }
    }
  }

  /// The client's actions.
  enum Script: Sendable {
    case signIn
    /// Two sign-ins with the same store.
    case twice
    /// A sign-in without faults, then a refresh with them.
    case refresh
    case signOut
    /// `prompt=none` with `max_age=0`, to which a provider can only return an error.
    case promptNone
    /// A sign-in with a `max_age` of 60 seconds.
    case maxAge
  }

  /// The module's name without the suite's prefix.
  var name: String
  /// Full names of other plans' modules with the same fault.
  var otherNames: [String] = []
  var plan = Plan.own
  var faults: Set<Fault> = []
  var algorithm: SignatureAlgorithm = .es256
  var kind: ApplicationFixture.ProviderKind = .oidc
  var usesDPoP = false
  var script: Script = .signIn
  var outcome: Expectation
  /// Additional conditions on the provider's record.
  var evidence: Evidence?

  struct Evidence: Sendable {
    var words: String
    var holds: @Sendable (_ record: [RecordedRequest]) -> Bool
  }

  var names: [String] { [plan.prefix + name] + otherNames }
  var testDescription: String { names[0] }

  private static let redirectFaults: Set<Fault> = [
    .invalidState, .missingState, .duplicateState, .invalidAuthorizationResponseIss, .removeAuthorizationResponseIss,
    .codeAndError, .extraIDToken,
  ]

  /// The modes differ only in the redirect.
  var modes: [ResponseMode] {
    let isAboutRedirect = name.isEmpty || script == .promptNone || !faults.isDisjoint(with: Self.redirectFaults)
    return isAboutRedirect ? ResponseMode.allCases : [.query]
  }

  init(
    _ name: String,
    with faults: Set<Fault> = [],
    signed algorithm: SignatureAlgorithm = .es256,
    kind: ApplicationFixture.ProviderKind = .oidc,
    dpop: Bool = false,
    script: Script = .signIn,
    _ outcome: Expectation
  ) {
    self.name = name
    self.faults = faults
    self.algorithm = algorithm
    self.kind = kind
    usesDPoP = dpop
    self.script = script
    self.outcome = outcome
  }

  /// With the name of the FAPI plan's module that has the same fault.
  func also(_ name: String) -> ConformanceModule {
    var module = self
    module.otherNames = [Plan.fapi2.prefix + name]
    return module
  }

  func showing(_ evidence: Evidence) -> ConformanceModule {
    var module = self
    module.evidence = evidence
    return module
  }

  /// Some request for the path satisfies a condition.
  func showing(
    _ words: String,
    at path: String,
    _ holds: @escaping @Sendable (RecordedRequest) -> Bool
  ) -> ConformanceModule {
    showing(Evidence(words: words) { record in record.contains { $0.path == path && holds($0) } })
  }
}

/// A test plan of the suite.
enum Plan: String, Sendable, CaseIterable {
  case basic = "Basic RP"
  case config = "Config RP"
  case formPost = "Form Post RP"
  case refresh = "Refresh token"
  case comprehensive = "Comprehensive"
  case logout = "RP-initiated logout RP"
  case fapi2 = "FAPI 2.0, as far as it is about public clients"
  case own = "Beside the suite: rules that it has no module for"

  /// The suite's prefix of its modules' names.
  var prefix: String {
    switch self {
    case .fapi2: "fapi2-security-profile-final-client-test-"
    case .own: ""
    default: "oidcc-client-test"
    }
  }
}

/// The suite's modules that don't apply, with the reason.
let omittedModules: [(why: String, names: [String])] = [
  ("msauth is a public client, without a secret (RFC 8252 §8.5)", ["client-secret-basic"]),
  (
    "the suite requires one of two methods; msauth sends the token in the header (RFC 6750 §2.1)",
    ["userinfo-bearer-body"]
  ),
  (
    "hybrid and implicit flow; msauth uses `code` only (RFC 9700 §2.1.2), whose ID token needs no hash",
    ["missing-chash", "invalid-chash", "missing-athash"]
  ),
  (
    "requires dynamic client registration; msauth's clients are registered by the user",
    ["userinfo-signed", "dynamic-registration", "request-uri-signed-rs256", "request-uri-signed-none"]
  ),
  ("msauth doesn't fetch distributed claims: it needs only a name for the account", ["distributed-claims"]),
  ("client certificates are for confidential clients (RFC 8705)", ["mtls-endpoint-aliases"]),
  (
    "the authority is configured, never discovered from a username",
    ["discovery-webfinger-acct", "discovery-webfinger-url"]
  ),
  ("a desktop program has no address where a third party could start a sign-in", ["3rd-party-init-login"]),
  ("polling an iframe requires an open web page", ["session-management"]),
  (
    "front- and back-channel logout require a server that the provider can always reach",
    [
      "rp-backchannel-rpinitlogout", "rp-backchannel-rpinitlogout-alg-none", "rp-backchannel-rpinitlogout-wrong-alg",
      "rp-backchannel-rpinitlogout-no-event", "rp-backchannel-rpinitlogout-wrong-event",
      "rp-backchannel-rpinitlogout-with-nonce", "rp-backchannel-rpinitlogout-wrong-aud",
      "rp-backchannel-rpinitlogout-wrong-iss", "rp-frontchannel-rpinitlogout", "rp-frontchannel-opinitlogout",
    ]
  ),
]

extension ConformanceModule.Evidence {
  /// Every token and resource request had its own proof by the same key, and only the first one was challenged.
  static func proofs(withNonce: Bool) -> ConformanceModule.Evidence {
    ConformanceModule.Evidence(words: "one proof per request, \(withNonce ? "with a nonce" : "without nonces")") {
      record in
      let proved = record.filter { $0.path == "/oidc/token" || $0.headerToken != nil }
      let proofs = proved.compactMap { ProofText($0.dpopProof) }
      return proofs.count == proved.count && !proofs.isEmpty
        && Set(proofs.map(\.id)).count == proofs.count && proofs.allSatisfy { $0.key == proofs.first?.key }
        && zip(proved, proofs).allSatisfy { $0.status >= 400 || ($1.nonce != nil) == withNonce }
        && proved.dropFirst().allSatisfy { $0.status == 200 }
        && record.contains { $0.path == "/oidc/authorize" && $0["dpop_jkt"] != nil }
    }
  }

  /// The resource required a nonce once, and got one from then on.
  static let resourceNonce = ConformanceModule.Evidence(words: "a response to the resource's challenge") { record in
    let shown = record.filter { $0.headerToken != nil }
    return shown.first?.status == 401 && ProofText(shown.first?.dpopProof)?.nonce == nil && shown.count > 2
      && shown.dropFirst().allSatisfy { $0.status == 200 && ProofText($0.dpopProof)?.nonce != nil }
  }
}

/// A proof's claims, verified by the provider.
struct ProofText {
  var key: JSONValue
  var id: String
  var nonce: String?

  init?(_ text: String?) {
    let parts = text?.split(separator: ".").compactMap { Base64URL.decode($0) } ?? []
    guard parts.count == 3, let header = try? JSONValue(parsing: parts[0]), let key = header["jwk"],
      let claims = try? JSONValue(parsing: parts[1]), let id = claims["jti"]?.string
    else { return nil }
    (self.key, self.id, nonce) = (key, id, claims["nonce"]?.string)
  }
}

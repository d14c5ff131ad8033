import DemoProvider
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
    case refuses(String)
    /// The redirect is ignored for this reason.
    case ignores(String)
    /// The reported result of the browser sign-out.
    case signsOut(SignOutReport.Browser)

    var description: String {
      switch self {
      case .completes: "completes"
      case .refuses(let reason): "refuses: `\(reason)`"
      case .ignores(let reason): "ignores the redirect: \(reason)"
      case .signsOut(let report): "sign-out reported as `\(report.rawValue)`"
      }
    }
  }

  /// The client's actions.
  enum Script: Sendable {
    case signIn
    /// Two sign-ins with the same store.
    case signInTwice
    /// A sign-in without faults, then a refresh with them.
    case refresh
    case signOut
    /// `prompt=none` with `max_age=0`, to which a provider can only return an error.
    case askForNothing
    /// A sign-in with `max_age`.
    case signInWithin(seconds: Int64)
  }

  /// The module's name without the suite's prefix.
  var name: String
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

  var testDescription: String { plan.prefix + name }

  init(
    _ name: String,
    with faults: Set<Fault> = [],
    signed algorithm: SignatureAlgorithm = .es256,
    kind: ApplicationFixture.ProviderKind = .oidc,
    usesDPoP: Bool = false,
    script: Script = .signIn,
    _ outcome: Expectation,
    evidence: Evidence? = nil
  ) {
    self.name = name
    self.faults = faults
    self.algorithm = algorithm
    self.kind = kind
    self.usesDPoP = usesDPoP
    self.script = script
    self.outcome = outcome
    self.evidence = evidence
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

/// A module of the suite that doesn't apply, with the reason.
struct OmittedModule: Sendable {
  var names: [String]
  var why: String

  static let all: [OmittedModule] = [
    OmittedModule(
      names: ["oidcc-client-test-client-secret-basic"],
      why: "msauth is a public client, without a secret (RFC 8252 §8.5)"
    ),
    OmittedModule(
      names: ["oidcc-client-test-userinfo-bearer-body"],
      why: "the suite requires one of two methods; msauth sends the token in the header (RFC 6750 §2.1)"
    ),
    OmittedModule(
      names: [
        "oidcc-client-test-missing-chash", "oidcc-client-test-invalid-chash", "oidcc-client-test-missing-athash",
      ],
      why: "hybrid and implicit flow; msauth uses `code` only (RFC 9700 §2.1.2), whose ID token needs no hash"
    ),
    OmittedModule(
      names: [
        "oidcc-client-test-userinfo-signed", "oidcc-client-test-dynamic-registration",
        "oidcc-client-test-request-uri-signed-rs256", "oidcc-client-test-request-uri-signed-none",
      ],
      why: "requires dynamic client registration; msauth's clients are registered by the user"
    ),
    OmittedModule(
      names: ["oidcc-client-test-distributed-claims"],
      why: "msauth doesn't fetch distributed claims: it needs only a name for the account"
    ),
    OmittedModule(
      names: ["oidcc-client-test-mtls-endpoint-aliases"],
      why: "client certificates are for confidential clients (RFC 8705)"
    ),
    OmittedModule(
      names: ["oidcc-client-test-discovery-webfinger-acct", "oidcc-client-test-discovery-webfinger-url"],
      why: "the authority is configured, never discovered from a username"
    ),
    OmittedModule(
      names: ["oidcc-client-test-3rd-party-init-login"],
      why: "a desktop program has no address where a third party could start a sign-in"
    ),
    OmittedModule(
      names: ["oidcc-client-test-session-management"],
      why: "polling an iframe requires an open web page"
    ),
    OmittedModule(
      names: [
        "oidcc-client-test-rp-backchannel-rpinitlogout", "oidcc-client-test-rp-backchannel-rpinitlogout-alg-none",
        "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-alg",
        "oidcc-client-test-rp-backchannel-rpinitlogout-no-event",
        "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-event",
        "oidcc-client-test-rp-backchannel-rpinitlogout-with-nonce",
        "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-aud",
        "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-iss",
        "oidcc-client-test-rp-frontchannel-rpinitlogout", "oidcc-client-test-rp-frontchannel-opinitlogout",
      ],
      why: "front- and back-channel logout require a server that the provider can always reach"
    ),
  ]
}

extension ConformanceModule.Evidence {
  /// Every token and resource request had its own proof by the same key.
  static func proofs(withNonce: Bool) -> ConformanceModule.Evidence {
    ConformanceModule.Evidence(
      words: "a proof of its own for each request, \(withNonce ? "with a nonce" : "without nonces")"
    ) {
      record in
      let proved = record.filter { $0.path == "/oidc/token" || $0.bearer != nil }
      let proofs = proved.compactMap { ProofText($0.dpopProof) }
      return proofs.count == proved.count && !proofs.isEmpty
        && Set(proofs.map(\.id)).count == proofs.count && proofs.allSatisfy { $0.key == proofs.first?.key }
        && zip(proved, proofs).allSatisfy { $0.status >= 400 || ($1.nonce != nil) == withNonce }
        && record.contains { $0.path == "/oidc/authorize" && $0["dpop_jkt"] != nil }
    }
  }

  /// The resource required a nonce once, and got one from then on.
  static let resourceNonce = ConformanceModule.Evidence(words: "a challenge of the resource that is met") { record in
    let shown = record.filter { $0.bearer != nil }
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

import DemoProvider
import MSAuth
import MSAuthCrypto
import Testing

/// One test of the OpenID Foundation's conformance suite for clients, or one beside it.
struct ConformanceModule: Sendable, CustomTestStringConvertible {
  /// What must come of it.
  enum Outcome: Sendable, Equatable, CustomStringConvertible {
    /// The client goes on and shows its token to userinfo and to the resource.
    case completes
    /// The client stops with this reason, shows no token to anybody, and stores nothing.
    case refuses(String)
    /// The redirect is not taken for an answer at all, for this reason.
    case ignores(String)
    /// What is reported of the browser's sign-out.
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

  /// What the client is made to do.
  enum Script: Sendable {
    case signIn
    /// Two sign-ins, the second one with whatever the first left behind.
    case signInTwice
    /// A sign-in without fault, then a refresh with it.
    case refresh
    /// A sign-in, then a sign-out in the browser.
    case signOut
    /// `prompt=none` with `max_age=0`: no provider can answer but with an error.
    case askForNothing
    /// A sign-in of at most this many seconds ago.
    case signInWithin(seconds: Int64)
  }

  /// The module's name without the suite's prefix.
  var name: String
  var plan = Plan.own
  var faults: Set<Fault> = []
  var algorithm: SignatureAlgorithm = .es256
  var kind: ApplicationFixture.ProviderKind = .oidc
  /// Whether the client asks for tokens that are bound to its key.
  var usesDPoP = false
  var script: Script = .signIn
  var outcome: Outcome
  /// What the provider must have seen besides.
  var evidence: Evidence?

  /// What the provider must have seen.
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
    _ outcome: Outcome,
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

/// A set of modules, as the suite calls it.
enum Plan: String, Sendable, CaseIterable {
  case basic = "Basic RP"
  case config = "Config RP"
  case formPost = "Form Post RP"
  case refresh = "Refresh token"
  case comprehensive = "Comprehensive"
  case logout = "RP-initiated logout RP"
  case fapi2 = "FAPI 2.0, as far as it is about public clients"
  case own = "Beside the suite: rules that it has no module for"

  /// What the suite puts before its modules' names.
  var prefix: String {
    switch self {
    case .fapi2: "fapi2-security-profile-final-client-test-"
    case .own: ""
    default: "oidcc-client-test"
    }
  }
}

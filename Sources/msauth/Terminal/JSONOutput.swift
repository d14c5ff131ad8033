import FoundationEssentials
import MSAuth

/// What `--json` prints: one object, versioned, with stable keys.
struct JSONOutput: Encodable, Sendable {
  /// Raised when a key changes its meaning or is removed.
  var version = 1
  var command: String?
  var account: AccountOutput?
  var previousAccount: AccountOutput?
  var accounts: [AccountOutput]?
  var accessToken: String?
  var tokenType: String?
  var idTokenClaims: JSONValueOutput?
  var proof: String?
  var expiresOn: Int64?
  var expiresOnUTC: String?
  var scopes: [String]?
  var authority: String?
  var correlationID: String?
  var fromCache: Bool?
  var deviceMode: String?
  var signOuts: [SignOutOutput]?
  var store: String?
  var signInNeeded: Bool?
  /// The configuration file.
  var configuration: String?
  /// Whether the file was written; what it says already is not.
  var written: Bool?
  var clientID: String?
  var issuer: String?
  /// The profile of the configuration file that was changed.
  var profile: String?
  var settings: [SettingOutput]?
  var mistakes: [ErrorOutput]?
  var browsers: [BrowserOutput]?
  /// The browser that was chosen.
  var browser: BrowserOutput?
  /// What could not be used, in sentences.
  var notes: [String]?
  var session: SessionOutput?
  /// The HTTP status of an API's answer.
  var status: Int?
  var checks: [CheckOutput]?
  var error: ErrorOutput?

  enum CodingKeys: String, CodingKey {
    case version, command, account, accounts, scopes, authority, store, session, checks, error, status
    case configuration, written, issuer, profile, settings, mistakes, browsers, browser, notes
    case clientID = "client_id"
    case signInNeeded = "sign_in_needed"
    case idTokenClaims = "id_token_claims"
    case proof = "dpop_proof"
    case previousAccount = "previous_account"
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresOn = "expires_on"
    case expiresOnUTC = "expires_on_utc"
    case correlationID = "correlation_id"
    case fromCache = "from_cache"
    case deviceMode = "device_mode"
    case signOuts = "sign_outs"
  }

  init(_ command: String? = nil) {
    self.command = command
  }

  /// What `token` and `login` have in common: all but the token.
  init(_ command: String, result: TokenResult) {
    self.command = command
    account = AccountOutput(result.account, tenantID: result.tenantID)
    tokenType = result.tokenType
    expiresOn = result.unixExpiry
    expiresOnUTC = result.expiresOn.formatted(.iso8601)
    scopes = result.scopes
    authority = result.authority.url
    correlationID = result.correlationID.isEmpty ? nil : result.correlationID
    fromCache = result.isFromCache
  }

  /// Adds what is known of an account's session.
  mutating func add(_ session: SessionStatus) {
    account = AccountOutput(session.account)
    authority = session.authority.url
    store = session.store
    expiresOn = session.expiresOn.map { Int64($0.timeIntervalSince1970) }
    expiresOnUTC = session.expiresOn?.formatted(.iso8601)
    scopes = session.scopes
    signInNeeded = session.needsSignIn != nil
  }

  /// Prints the object.
  func print(_ members: KeyValuePairs<String, JSON> = [:]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var bytes = [UInt8](try encoder.encode(self))
    if !members.isEmpty, var object = try JSON(parsing: bytes).object {
      for (name, value) in members { object[name] = value }
      bytes = Array(JSON.object(object).serializedString().utf8)
    }
    try Console.result(document: bytes + [UInt8(ascii: "\n")])
  }
}

/// An account in `--json`.
struct AccountOutput: Encodable, Sendable {
  var username: String
  var email: String?
  var identifier: String
  var environment: String
  var tenant: String?
  /// Whether it is the current account, where that is said.
  var current: Bool?

  init(_ account: Account, tenantID: String? = nil, isCurrent: Bool? = nil) {
    username = account.username
    identifier = account.identifier
    environment = account.environment
    // Azure AD B2C lists a person's addresses.
    email = account.claims["email"]?.string ?? account.claims["emails"]?.array?.first?.string
    tenant = tenantID ?? account.tenant
    current = isCurrent
  }
}

/// A JSON value in `--json`, such as an ID token's claims.
struct JSONValueOutput: Encodable, Sendable {
  var value: JSON

  init(_ value: JSON) {
    self.value = value
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value {
    case .bool(let value): try container.encode(value)
    case .number(let number):
      // Beyond a Double's range there is no other form than none.
      let double = number.double.isFinite ? number.double : nil
      if let integer = number.integer { try container.encode(integer) } else { try container.encode(double) }
    case .string(let value): try container.encode(value)
    case .array(let elements): try container.encode(elements.map { Self($0) })
    case .object(let members):
      let pairs = members.sorted.map { ($0.key, Self($0.value)) }
      // Two names may be canonically equivalent, which is one to a dictionary.
      try container.encode(Dictionary(pairs) { first, _ in first })
    // A string that is not valid Unicode has no other form here.
    case .null, .invalidString: try container.encodeNil()
    }
  }
}

/// A sign-out in `--json`.
struct SignOutOutput: Encodable, Sendable {
  var account: AccountOutput
  var removedTokens: Bool
  var revocation: String
  var browser: String
  var problems: [String]

  enum CodingKeys: String, CodingKey {
    case account, revocation, browser, problems
    case removedTokens = "removed_tokens"
  }

  init(_ report: SignOutReport, wasCurrent: Bool) {
    account = AccountOutput(report.account, isCurrent: wasCurrent)
    removedTokens = report.removedTokens
    revocation = report.revocation.rawValue
    browser = report.browser.rawValue
    problems = report.problems
  }
}

/// A failure in `--json`.
struct ErrorOutput: Encodable, Sendable {
  var code: String
  var reason: String?
  var message: String
  var hint: String?
  /// The exit code.
  var exit: Int32
  var correlationID: String?
  /// The accounts that all fit.
  var candidates: [AccountOutput]?

  enum CodingKeys: String, CodingKey {
    case code, reason, message, hint, exit, candidates
    case correlationID = "correlation_id"
  }

  init(_ error: AuthenticationError, exit: Int32) {
    code = error.code.rawValue
    reason = error.reason?.rawValue
    message = error.message
    hint = error.hint?.commandLine
    self.exit = exit
    correlationID = error.provider?.correlationID
    candidates = error.candidates.isEmpty ? nil : error.candidates.map { AccountOutput($0) }
  }
}

extension Account {
  /// The tenant that the account lives in, else the first one that it signed in to; nil where there are no tenants.
  var tenant: String? {
    let profile = tenantProfiles.first(where: \.isHomeTenant) ?? tenantProfiles.first
    return profile.flatMap { $0.tenantID.isEmpty ? nil : $0.tenantID }
  }
}

extension TokenResult {
  /// When the access token expires, in Unix seconds.
  var unixExpiry: Int64 { Int64(expiresOn.timeIntervalSince1970) }
}

import FoundationEssentials
import MSAuth

/// What `--json` prints: one object, versioned, with stable keys.
struct JSONOutput: Encodable {
  /// Raised when a key changes its meaning or is removed.
  var version = 1
  var command: String
  var account: AccountOutput?
  var previousAccount: AccountOutput?
  var accounts: [AccountOutput]?
  var accessToken: String?
  var tokenType: String?
  var proof: String?
  var expiresOn: Int64?
  var expiresOnUTC: String?
  var scopes: [String]?
  var authority: String?
  var correlationID: String?
  var fromCache: Bool?
  var deviceMode: String?
  var signOuts: [SignOutOutput]?

  enum CodingKeys: String, CodingKey {
    case version, command, account, accounts, scopes, authority
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

  init(_ command: String) {
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

  func print() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try Console.result(String(decoding: encoder.encode(self), as: UTF8.self))
  }
}

/// An account in `--json`.
struct AccountOutput: Encodable {
  var username: String
  var identifier: String
  var environment: String
  var tenant: String?

  init(_ account: Account, tenantID: String? = nil) {
    username = account.username
    identifier = account.identifier
    environment = account.environment
    tenant = tenantID ?? account.tenantProfiles.first?.tenantID
  }
}

/// A sign-out in `--json`.
struct SignOutOutput: Encodable {
  var account: AccountOutput
  var removedTokens: Bool
  var revocation: String
  var browser: String
  var problems: [String]

  enum CodingKeys: String, CodingKey {
    case account, revocation, browser, problems
    case removedTokens = "removed_tokens"
  }

  init(_ report: SignOutReport) {
    account = AccountOutput(report.account)
    removedTokens = report.removedTokens
    revocation = report.revocation.rawValue
    browser = report.browser.rawValue
    problems = report.problems
  }
}

extension TokenResult {
  /// When the access token expires, in Unix seconds.
  var unixExpiry: Int64 { Int64(expiresOn.timeIntervalSince1970) }
}

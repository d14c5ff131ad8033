import FoundationEssentials
import MSAuth
import MSAuthCore

/// What `--json` prints: one object with the members of a command's result.
struct Output: Sendable {
  var body: (any Encodable & Sendable)?
  /// JSON that keeps the spelling of its numbers.
  var members: [String: JSONValue] = [:]

  init(_ body: (any Encodable & Sendable)?, adding members: [String: JSONValue] = [:]) {
    (self.body, self.members) = (body, members)
  }

  func print(error: ErrorOutput? = nil) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    var bytes = [UInt8](try encoder.encode(Envelope(body: body, error: error)))
    if !members.isEmpty, var object = try JSONValue(parsing: bytes).object {
      for (name, value) in members { object[name] = value }
      bytes = Array(JSONValue.object(object).serializedString().utf8)
    }
    try Console.result(document: bytes + [UInt8(ascii: "\n")])
  }

  private struct Envelope: Encodable {
    enum Key: CodingKey { case version, command, error }

    let body: (any Encodable)?
    let error: ErrorOutput?

    func encode(to encoder: any Encoder) throws {
      try body?.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      // Raised when a member is removed or changes its meaning.
      try container.encode(1, forKey: .version)
      let words = Invocation.commandWords
      if !words.isEmpty { try container.encode(words.joined(separator: " "), forKey: .command) }
      try container.encodeIfPresent(error, forKey: .error)
    }
  }
}

struct AccountOutput: Encodable, Sendable {
  let username: String
  let email: String?
  let identifier: String
  let environment: String
  let tenant: String?
  let current: Bool?

  init(_ account: Account, tenantID: String? = nil, isCurrent: Bool? = nil) {
    username = account.username
    identifier = account.identifier
    environment = account.environment
    // Azure AD B2C has a list of addresses.
    email = account.claims["email"]?.string ?? account.claims["emails"]?.array?.first?.string
    tenant = tenantID ?? account.tenant
    current = isCurrent
  }
}

/// What `login` and `token` print; only `token` adds the token itself.
struct TokenOutput: Encodable, Sendable {
  var account: AccountOutput?
  let tokenType: String
  let expiresOn: Int64
  let expiresOnUTC: String
  let scopes: [String]
  let authority: String
  let correlationID: String?
  let fromCache: Bool
  var accessToken: String?
  var dpopProof: String?

  init(_ result: TokenResult, isCurrent: Bool?) {
    account = AccountOutput(result.account, tenantID: result.tenantID, isCurrent: isCurrent)
    tokenType = result.tokenType
    expiresOn = result.unixExpiry
    expiresOnUTC = result.expiresOn.formatted(.iso8601)
    scopes = result.scopes
    authority = result.authority.url
    correlationID = result.correlationID.isEmpty ? nil : result.correlationID
    fromCache = result.isFromCache
  }
}

struct ErrorOutput: Encodable, Sendable {
  let code: String
  let reason: String?
  let message: String
  let hint: String?
  let exit: Int32
  let correlationID: String?
  let provider: ProviderErrorOutput?
  let candidates: [AccountOutput]?

  init(_ error: AuthenticationError, exit: Int32) {
    code = error.code.rawValue
    reason = error.reason?.rawValue
    message = error.message
    hint = error.hint?.commandLine
    self.exit = exit
    correlationID = error.provider?.correlationID
    provider = error.provider.map { ProviderErrorOutput($0) }
    candidates = error.candidates.isEmpty ? nil : error.candidates.map { AccountOutput($0) }
  }
}

struct ProviderErrorOutput: Encodable, Sendable {
  let error: String
  let description: String?
  let suberror: String?
  let codes: [Int]
  let traceID: String?

  init(_ error: ProviderError) {
    self.error = error.error
    description = error.description
    suberror = error.subError
    codes = error.codes
    traceID = error.traceID
  }
}

extension Account {
  /// The tenant of the account, else the first one that it signed in to.
  var tenant: String? {
    let profile = tenantProfiles.first(where: \.isHomeTenant) ?? tenantProfiles.first
    return profile.flatMap { $0.tenantID.isEmpty ? nil : $0.tenantID }
  }
}

extension TokenResult {
  /// Unix seconds.
  var unixExpiry: Int64 { Int64(expiresOn.timeIntervalSince1970) }
}

import Core

/// What a person has allowed an application: a code and its tokens stand for it.
struct Grant: Sendable {
  /// Shared by all tokens of one sign-in, so that they can be revoked together.
  var id: String
  var kind: ProviderKind
  var clientID: String
  var person: Person
  var scopes: [String]
  var nonce: String?
  /// When the person last proved who they are, in Unix time.
  var authTime: UnixTime
  /// The browser session, which ID tokens call `sid`.
  var sessionID: String
  /// Whether the client asked for `client_info`.
  var wantsClientInfo: Bool
  /// ID token claims that the `claims` parameter or `max_age` asked for.
  var requestedClaims: Set<String>
  /// Access token claims that the `claims` parameter asked for.
  var accessTokenClaims: Set<String> = []
  /// The authentication acrValues that the request asked for (OpenID Connect Core §3.1.2.1).
  var acrValues: Set<String> = []
  /// The key that it is bound to (RFC 9449).
  var keyThumbprint: String?

  /// The issuer of its ID tokens.
  ///
  /// - Parameter address: Where the provider's issuers are, without a slash at the end.
  /// - Returns: What ID tokens say in `iss`.
  func issuer(_ address: String) -> String {
    switch kind {
    case .oidc: "\(address)/oidc"
    case .adfs: "\(address)/adfs"
    case .entra: "\(address)/\(person.tenant.id)/v2.0"
    case .b2c(let tenant, let policy): "\(address)/tfp/\(tenant.id)/\(policy)/v2.0/"
    }
  }

  /// The `sub` claim: pairwise (OpenID Connect Core §8.1); at B2C the same for all applications.
  var subject: String {
    switch kind {
    case .b2c: person.objectID
    case .entra: SigningKeys.sha256("\(clientID)|\(person.objectID)|entra")
    case .adfs, .oidc: SigningKeys.sha256("\(clientID)|\(person.objectID)|oidc")
    }
  }

  /// The `client_info` value, with the home account's `uid` and `utid`; B2C has one account per user flow.
  var clientInfo: String {
    guard case .b2c(_, let policy) = kind else { return person.clientInfo }
    return Person.clientInfo(user: "\(person.objectID)-\(policy)", tenant: person.tenant)
  }
}

/// An authorization code that waits to be redeemed.
struct PendingCode: Sendable {
  var grant: Grant
  var redirectURI: String
  /// The PKCE challenge, S256.
  var challenge: String
  /// Unix time.
  var expires: UnixTime
  var isUsed = false
}

/// An issued token.
struct LiveToken: Sendable {
  var grant: Grant
  /// Unix time.
  var expires: UnixTime
  /// Whether it was replaced: using it again is a sign of theft.
  var isUsed = false
}

/// A device that waits for its person (RFC 8628).
struct PendingDevice: Sendable {
  /// How the person has answered.
  enum Answer: Sendable {
    case none
    case allowed(Grant)
    case denied
  }

  var userCode: String
  var kind: ProviderKind
  var clientID: String
  var scopes: [String]
  var wantsClientInfo: Bool
  /// Unix time.
  var expires: UnixTime
  var lastPoll: UnixTime?
  var answer: Answer = .none
}

extension Person {
  var clientInfo: String { Self.clientInfo(user: objectID, tenant: tenant) }

  fileprivate static func clientInfo(user: String, tenant: Tenant) -> String {
    let halves: JSON = ["uid": .string(user), "utid": .string(tenant.id)]
    return Base64URL.encode(halves.serialized())
  }
}

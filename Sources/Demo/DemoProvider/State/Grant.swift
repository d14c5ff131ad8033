import MSAuthCore

/// The access that an application requests, and a user grants.
struct Access: Sendable {
  var kind: ProviderKind
  var client: RegisteredClient
  var scopes: [String]
  var wantsClientInfo: Bool
  var nonce: String?
  /// ID token claims requested by the `claims` parameter or `max_age`.
  var idTokenClaims: Set<String> = []
  /// Access token claims requested by the `claims` parameter.
  var accessTokenClaims: Set<String> = []
  /// OpenID Connect Core §3.1.2.1.
  var acrValues: Set<String> = []
  /// The thumbprint of the only key that may redeem and use it (`dpop_jkt`, RFC 9449 §10).
  var keyThumbprint: String?
}

/// The access that a user has granted an application, represented by a code and its tokens.
@dynamicMemberLookup
struct Grant: Sendable {
  /// Shared by all tokens of a sign-in, which are revoked together.
  let id = RandomString.guid()
  var access: Access
  var signIn: BrowserSession.SignIn

  subscript<Value>(dynamicMember member: WritableKeyPath<Access, Value>) -> Value {
    get { access[keyPath: member] }
    set { access[keyPath: member] = newValue }
  }

  var user: DemoUser { signIn.user }

  /// The issuer of its ID tokens, below the provider's address.
  func issuer(_ address: String) -> String {
    switch self.kind {
    case .oidc: "\(address)/oidc"
    case .adfs: "\(address)/adfs"
    case .entra: "\(address)/\(user.tenant.id)/v2.0"
    case .b2c(let tenant, let policy): "\(address)/tfp/\(tenant.id)/\(policy)/v2.0/"
    }
  }

  /// `sub`: pairwise (OpenID Connect Core §8.1), except at B2C.
  var subject: String {
    if case .b2c = self.kind { return user.objectID }
    return Base64URL.sha256(of: "\(self.client.id)|\(user.objectID)|\(self.kind.isEntra ? "entra" : "oidc")")
  }

  /// At B2C, each user flow has its own account.
  var clientInfo: String {
    var id = user.objectID
    if case .b2c(_, let policy) = self.kind { id += "-\(policy)" }
    let halves: JSONValue = ["uid": .string(id), "utid": .string(user.tenant.id)]
    return Base64URL.encode(halves.serialized())
  }
}

struct PendingCode: Sendable {
  var grant: Grant
  var redirectURI: String
  /// The PKCE challenge, S256.
  var challenge: String
  /// Unix time.
  var expires: UnixTime
  var isUsed = false
}

struct LiveToken: Sendable {
  var grant: Grant
  /// Unix time.
  var expires: UnixTime
  /// Reuse of a replaced token indicates theft.
  var isReplaced = false
}

/// A device that waits for a sign-in (RFC 8628).
struct PendingDevice: Sendable {
  enum Answer: Sendable {
    case none
    case allowed(BrowserSession.SignIn)
    case denied
  }

  let userCode = RandomString.userCode()
  var access: Access
  /// Unix time.
  var expires: UnixTime
  var lastPoll: UnixTime?
  var answer: Answer = .none
}

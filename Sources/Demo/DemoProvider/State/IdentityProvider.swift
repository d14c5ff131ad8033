import MSAuthCore

/// The provider's state; extensions add the endpoints.
actor IdentityProvider {
  /// RFC 6749 §4.1.2 allows ten minutes at most.
  static let codeLifetime: Int64 = 60
  /// Microsoft Entra's refresh tokens live for 90 days.
  static let refreshTokenLifetime: Int64 = 90 * 86_400
  /// Microsoft Entra's device codes live for 15 minutes.
  static let deviceLifetime: Int64 = 900
  /// The minimum time between two polls of a device, in seconds (RFC 8628 §3.2).
  static let devicePollingInterval: Int64 = 1

  let options: DemoOptions
  /// Without a trailing slash.
  let baseURL: String
  var injector: Injector
  /// The error that every token request gets.
  var rejection: ProtocolError?
  var keys: SigningKeys
  var requests: [RecordedRequest] = []
  var browsers: [String: BrowserSession] = [:]
  var pendingPages: [String: PendingPage] = [:]
  var codes: [String: PendingCode] = [:]
  var refreshTokens: [String: LiveToken] = [:]
  var accessTokens: [String: LiveToken] = [:]
  var devices: [String: PendingDevice] = [:]
  /// By user and client.
  var consents: [String: Set<String>] = [:]
  /// Pushed authorization requests by `request_uri` (RFC 9126).
  var pushed: [String: Parameters] = [:]
  /// The thumbprint and `jti` of each DPoP proof that was accepted.
  var proofs: Set<String> = []
  /// DPoP nonces that were issued but not yet used.
  var nonces: Set<String> = []
  /// Issued ID tokens, for sign-out's `id_token_hint`.
  var idTokens: [String: Grant] = [:]

  init(_ options: DemoOptions, baseURL: String) throws {
    self.options = options
    self.baseURL = baseURL
    injector = Injector(options.faults)
    keys = try SigningKeys(options.algorithm)
  }

  var now: UnixTime { options.clock.now() }

  /// The base of its issuers.
  var issuerURL: String { options.issuerURL ?? baseURL }

  func set(faults: Set<Fault>) { injector = Injector(faults) }

  func set(rejection: ProtocolError) { self.rejection = rejection }

  func forgetRequests() { requests = [] }
}

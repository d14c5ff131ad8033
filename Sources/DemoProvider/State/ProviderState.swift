import Core

/// The provider's state.
actor ProviderState {
  /// A code is for the moment between two requests (RFC 6749 §4.1.2 allows ten minutes at most).
  static let codeLifetime: Int64 = 60
  /// Microsoft Entra's refresh tokens live for 90 days.
  static let refreshTokenLifetime: Int64 = 90 * 86_400
  /// Microsoft Entra's device codes live for 15 minutes.
  static let deviceCodeLifetime: Int64 = 900

  let options: DemoOptions
  var faults: Set<Fault>
  /// The error for every token request.
  var refusal: ProtocolError?
  var keys: SigningKeys
  var requests: [RecordedRequest] = []
  var browsers: [String: BrowserSession] = [:]
  var interactions: [String: Interaction] = [:]
  var codes: [String: PendingCode] = [:]
  var refreshTokens: [String: LiveToken] = [:]
  var accessTokens: [String: LiveToken] = [:]
  var devices: [String: PendingDevice] = [:]
  /// The scopes consented to, by person and client.
  var consents: [String: Set<String>] = [:]
  /// Authorization requests that came over the back channel, by their `request_uri` (RFC 9126).
  var pushed: [String: Parameters] = [:]
  /// DPoP proofs and nonces seen (RFC 9449).
  var proofs = DPoPState()
  /// ID tokens that were issued, as sign-out's `id_token_hint` brings them back.
  var idTokens: [String: Grant] = [:]

  init(_ options: DemoOptions) throws {
    self.options = options
    faults = options.faults
    keys = try SigningKeys(options.algorithm)
  }

  var now: UnixTime { options.clock.now() }

  /// Applies the present faults, step by step.
  var injector: FaultInjector { FaultInjector(faults) }

  func set(faults: Set<Fault>) { self.faults = faults }

  func set(refusal: ProtocolError?) { self.refusal = refusal }

  /// Whether the token endpoint has had no request since the record began.
  var isFirstTokenRequest: Bool { !requests.contains { $0.path.hasSuffix("/token") } }

  func record(_ request: RecordedRequest) { requests.append(request) }

  func forgetRequests() { requests = [] }
}

extension ProviderState {
  /// The key set as it is published now.
  func publishedKeys() throws -> JSON {
    if injector.keyFaults.contains(.several) { try keys.addOther() }
    return keys.published
  }

  /// A sign-in begins.
  func prepareKeysForSignIn() throws {
    if injector.keyFaults.contains(.rotatedBetweenSignIns) { try keys.rotate() }
  }

  /// The keys to sign with now.
  func keysForSigning() throws -> SigningKeys {
    if injector.keyFaults.contains(.rotatedBeforeSigning) { try keys.rotate() }
    return keys
  }
}

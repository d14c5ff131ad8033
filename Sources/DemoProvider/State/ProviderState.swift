import Core

/// All that the provider remembers.
actor ProviderState {
  /// A code is for the moment between two requests (RFC 6749 §4.1.2 allows ten minutes at most).
  static let codeLifetime: Int64 = 60
  /// Microsoft Entra's refresh tokens live for 90 days.
  static let refreshTokenLifetime: Int64 = 90 * 86_400
  /// Microsoft Entra's device codes live for 15 minutes.
  static let deviceCodeLifetime: Int64 = 900

  let options: DemoOptions
  var faults: Set<Fault>
  /// What every token request is answered with.
  var refusal: ProtocolError?
  var keys: KeyRing
  var requests: [RecordedRequest] = []
  var browsers: [String: BrowserSession] = [:]
  var interactions: [String: Interaction] = [:]
  var codes: [String: PendingCode] = [:]
  var refreshTokens: [String: LiveToken] = [:]
  var accessTokens: [String: LiveToken] = [:]
  var devices: [String: PendingDevice] = [:]
  /// Who has allowed which application which scopes: by person and client.
  var consents: [String: Set<String>] = [:]
  /// Authorization requests that came over the back channel, by their `request_uri` (RFC 9126).
  var pushed: [String: Parameters] = [:]
  /// What was proved, and with which nonces (RFC 9449).
  var proofs = ProofMemory()
  /// ID tokens that were issued, as sign-out's `id_token_hint` brings them back.
  var idTokens: [String: Grant] = [:]

  init(_ options: DemoOptions) throws {
    self.options = options
    faults = options.faults
    keys = try KeyRing(options.algorithm)
  }

  var now: UnixTime { options.clock.now() }

  /// What the present faults do, step by step.
  var poison: FaultInjector { FaultInjector(faults) }

  func set(faults: Set<Fault>) { self.faults = faults }

  func set(refusal: ProtocolError?) { self.refusal = refusal }

  /// Whether nobody has asked the token endpoint since the record began.
  var isFirstTokenRequest: Bool { !requests.contains { $0.path.hasSuffix("/token") } }

  func record(_ request: RecordedRequest) { requests.append(request) }

  func forgetRequests() { requests = [] }
}

import Foundation
import MSAuthCore

actor ProviderState {
  /// RFC 6749 §4.1.2 allows ten minutes at most.
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
  /// By user and client.
  var consents: [String: Set<String>] = [:]
  /// Pushed authorization requests by `request_uri` (RFC 9126).
  var pushed: [String: Parameters] = [:]
  var proofs = DPoPState()
  /// Issued ID tokens, for sign-out's `id_token_hint`.
  var idTokens: [String: Grant] = [:]

  init(_ options: DemoOptions) throws {
    self.options = options
    faults = options.faults
    keys = try SigningKeys(options.algorithm)
  }

  var now: UnixTime { options.clock.now() }

  var injector: Injector { Injector(faults) }

  func set(faults: Set<Fault>) { self.faults = faults }

  func set(refusal: ProtocolError?) { self.refusal = refusal }

  /// Whether the token endpoint has had no request since the record began.
  var isFirstTokenRequest: Bool { !requests.contains { $0.path.hasSuffix("/token") } }

  func record(_ request: RecordedRequest) { requests.append(request) }

  func forgetRequests() { requests = [] }
}

extension ProviderState {
  func publishedKeys() throws -> JSONValue {
    if injector.keys == .several { try keys.addOther() }
    return keys.published
  }

  func prepareKeysForSignIn() throws {
    if injector.keys == .rotatedBetweenSignIns { try keys.rotate() }
  }

  func keysForSigning() throws -> SigningKeys {
    if injector.keys == .rotatedBeforeSigning { try keys.rotate() }
    return keys
  }
}

enum RandomString {
  /// 256 random bits: a code, a token, a cookie.
  static func token() -> String {
    // On Linux, Swift's generator is the kernel's.
    Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// Lowercase, like Microsoft Entra's.
  static func guid() -> String { UUID().uuidString.lowercased() }

  /// Without vowels and similar letters (RFC 8628 §6.1).
  static func userCode() -> String {
    let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    return String((0..<8).compactMap { _ in letters.randomElement() })
  }
}

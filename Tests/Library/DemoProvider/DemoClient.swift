@testable import DemoProvider
import Foundation
import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE
import TestSupport
import Testing

/// Follows the demo provider's rules step by step, so that a test can break one of them.
struct DemoClient {
  enum ProviderKind: String, CaseIterable, Sendable {
    case entra, oidc
  }

  static let verifier = String(repeating: "v", count: 43)
  static let challenge = Base64URL.encode(Digest.sha256.hash(verifier.utf8))

  /// Nothing is listening there.
  static let redirectURI = "http://localhost:9"

  let provider: DemoProvider
  let kind: ProviderKind
  let tenant: String
  /// The provider's: codes and proofs don't expire while a busy computer runs a test.
  let clock = TestClock(at: 1_800_000_000)
  let walker = ScriptedBrowser()

  init(
    kind: ProviderKind = .entra,
    tenant: String = "common",
    options: DemoOptions = DemoOptions(algorithm: .es256)
  ) async throws {
    (self.kind, self.tenant) = (kind, tenant)
    var options = options
    options.clock = clock
    provider = try await DemoProvider.start(options)
  }

  var metadataURL: String {
    kind == .entra
      ? "\(provider.entraAuthority(tenant: tenant))/v2.0/.well-known/openid-configuration"
      : "\(provider.oidcIssuer)/.well-known/openid-configuration"
  }

  var endpoints: (authorize: String, token: String, logout: String) {
    let root = kind == .entra ? "\(provider.entraAuthority(tenant: tenant))/oauth2/v2.0" : provider.oidcIssuer
    return ("\(root)/authorize", "\(root)/token", "\(root)/logout")
  }

  /// A change to `nil` removes a parameter.
  func authorizeURL(_ changes: [String: String?] = [:]) -> String {
    var parameters: [String: String?] = [
      "client_id": provider.clientID,
      "redirect_uri": Self.redirectURI,
      "response_type": "code",
      "scope": "openid profile offline_access User.Read",
      "state": "the state",
      "nonce": "the-nonce",
      "code_challenge": Self.challenge,
      "code_challenge_method": "S256",
    ]
    parameters.merge(changes) { $1 }
    return endpoints.authorize + "?" + Self.encode(parameters)
  }

  static func encode(_ parameters: [String: String?]) -> String {
    FormEncoding.encode(parameters.compactMap { name, value in value.map { (name: name, value: $0) } })
  }

  /// Completes the pages and returns the parameters of the redirect.
  func signIn(as user: String = "ada", _ changes: [String: String?] = [:]) async throws -> [String: String] {
    do {
      let page = try await walker.walk(from: authorizeURL(changes), as: user)
      Issue.record("the browser stays at the provider: \(page.title)")
      return [:]
    } catch {
      // The walk ends at the redirect URI with an error.
      let last = try #require(await walker.history.last)
      let query = try #require(URLComponents(string: last)?.percentEncodedQuery, "stopped at \(last): \(error)")
      let pairs = FormEncoding.decode(query).map { ($0.name, $0.value) }
      return Dictionary(pairs) { first, _ in first }
    }
  }

  func post(_ address: String, _ form: [String: String?]) async throws -> (status: Int, json: JSONValue) {
    let reply = try await WebClient.send("POST", address, form: Self.encode(form))
    return (reply.status, (try? JSONValue(parsing: reply.body)) ?? .null)
  }

  func codeForm(_ code: String) -> [String: String?] {
    [
      "grant_type": "authorization_code", "client_id": provider.clientID, "code": code,
      "redirect_uri": Self.redirectURI, "code_verifier": Self.verifier,
    ]
  }

  func refreshForm(_ token: String) -> [String: String?] {
    ["grant_type": "refresh_token", "client_id": provider.clientID, "refresh_token": token]
  }

  func redeem(_ code: String, _ changes: [String: String?] = [:]) async throws -> (status: Int, json: JSONValue) {
    try await post(endpoints.token, codeForm(code).merging(changes) { $1 })
  }

  func refresh(_ token: String, scope: String? = nil) async throws -> (status: Int, json: JSONValue) {
    try await post(endpoints.token, refreshForm(token).merging(["scope": scope]) { $1 })
  }

  /// Signs in and returns the token response.
  func tokens(as user: String = "ada", _ changes: [String: String?] = [:]) async throws -> JSONValue {
    let result = try await signIn(as: user, changes)
    let (status, json) = try await redeem(try #require(result["code"]))
    #expect(status == 200)
    return json
  }

  func get(_ address: String, bearer: String? = nil) async throws -> WebResponse {
    let headers = bearer.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
    return try await WebClient.send("GET", address, headers: headers)
  }

  func me(_ token: String?) async throws -> WebResponse {
    try await get(provider.graphURL + "/v1.0/me", bearer: token)
  }

  /// The plain OpenID provider's.
  func keys() async throws -> JSONValue { try await json(provider.oidcIssuer + "/keys") }

  func json(_ address: String) async throws -> JSONValue { try JSONValue(parsing: await get(address).body) }
}

/// An unchecked JSON Web Token.
struct UnverifiedToken {
  var header: JSONValue
  var claims: JSONValue
  var message: String
  var signature: [UInt8]

  init(_ text: String?) throws {
    let parts = try #require(text).split(separator: ".", omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    header = try JSONValue(parsing: try #require(Base64URL.decode(parts[0])))
    claims = try JSONValue(parsing: try #require(Base64URL.decode(parts[1])))
    message = "\(parts[0]).\(parts[1])"
    signature = try #require(Base64URL.decode(parts[2]))
  }

  /// Whether each key of a set verifies it.
  func verified(by set: JSONValue) throws -> [Bool] {
    let algorithm = try #require(SignatureAlgorithm(rawValue: header["alg"]?.string ?? ""))
    return try #require(set["keys"]?.array).map { key in
      func number(_ name: String) throws -> [UInt8] { try #require(Base64URL.decode(key[name]?.string ?? "-")) }
      let publicKey: PublicKey =
        key["kty"] == "RSA"
        ? try .rsa(modulus: number("n"), exponent: number("e"))
        : try .ellipticCurve(.p256, x: number("x"), y: number("y"))
      return publicKey.verify(signature: signature, of: message.utf8, with: algorithm)
    }
  }
}

@testable import DemoProvider
import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE
import MSAuthOAuth
import TestSupport
import Testing

@Suite("DemoProvider: proofs of possession (RFC 9449)")
struct ProofTests {
  /// A client that makes proofs, including wrong ones.
  struct Prover {
    var client: DemoClient
    let key: SigningKey

    init() async throws {
      client = try await DemoClient(kind: .oidc)
      key = try SigningKey.generate(for: .es256)
    }

    typealias Object = JSONValue.Object

    func proof(
      _ method: String,
      _ address: String,
      token: String? = nil,
      by key: SigningKey? = nil,
      _ change: (_ header: inout Object, _ claims: inout Object) -> Void = { _, _ in }
    ) throws -> String {
      let key = key ?? self.key
      var header: Object = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(key.publicKey.webKey)]
      var claims: Object = [
        "jti": .string(Base64URL.encode(randomBytes(16))), "htm": .string(method), "htu": .string(address),
        "iat": .init(integerLiteral: client.clock.now()),
      ]
      claims["ath"] = token.map { .string(Base64URL.encode(Digest.sha256.hash($0.utf8))) }
      change(&header, &claims)
      let text = [header, claims].map { Base64URL.encode(JSONValue.object($0).serialized()) }.joined(separator: ".")
      return text + "." + Base64URL.encode(try key.sign(text.utf8, with: .es256))
    }

    func redeem(_ code: String, proofs: [String]) async throws -> WebResponse {
      try await post(client.codeForm(code), proofs)
    }

    func post(_ form: [String: String?], _ proofs: [String]) async throws -> WebResponse {
      let headers = proofs.map { (name: "DPoP", value: $0) }
      return try await WebClient.send("POST", client.endpoints.token, headers: headers, form: DemoClient.encode(form))
    }

    func signIn(_ changes: [String: String?] = [:]) async throws -> String {
      try #require(try await client.signIn(changes)["code"])
    }

    func tokens() async throws -> JSONValue {
      let reply = try await redeem(signIn(), proofs: [try proof("POST", client.endpoints.token)])
      #expect(reply.status == 200)
      return try JSONValue(parsing: reply.body)
    }

    func get(_ address: String, _ scheme: String, _ token: String, proofs: [String]) async throws -> WebResponse {
      let headers = [(name: "Authorization", value: "\(scheme) \(token)")] + proofs.map { (name: "DPoP", value: $0) }
      return try await WebClient.send("GET", address, headers: headers)
    }
  }

  static let mistakes: [(String, @Sendable (inout Prover.Object, inout Prover.Object) -> Void)] = [
    ("wrong type", { header, _ in header["typ"] = "JWT" }),
    ("wrong algorithm", { header, _ in header["alg"] = "RS256" }),
    ("no key", { header, _ in header["jwk"] = nil }),
    ("a private key", { header, _ in header["jwk"] = .object((header["jwk"]?.object ?? [:]).merging(["d": "AA"])) }),
    ("wrong method", { _, claims in claims["htm"] = "GET" }),
    ("wrong address", { _, claims in claims["htu"] = "http://127.0.0.1:1/oidc/token" }),
    ("a query", { _, claims in claims["htu"] = .string((claims["htu"]?.string ?? "") + "?a=1") }),
    ("no ID", { _, claims in claims["jti"] = nil }),
    ("an old time", { _, claims in claims["iat"] = claims["iat"]?.integer.map { .init(integerLiteral: $0 - 400) } }),
    ("a future time", { _, claims in claims["iat"] = claims["iat"]?.integer.map { .init(integerLiteral: $0 + 400) } }),
    ("a token's hash without a token", { _, claims in claims["ath"] = "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo" }),
  ]

  @Test("an invalid proof is rejected, and the code stays valid")
  func wrongProofs() async throws {
    let prover = try await Prover()
    let code = try await prover.signIn()
    let address = prover.client.endpoints.token
    let good = try prover.proof("POST", address)
    let proofs = try Self.mistakes.map { try prover.proof("POST", address, $0.1) }
    for proof in proofs + [good.dropLast(4) + "AAAA", "no.proof"] {
      let reply = try await prover.redeem(code, proofs: [proof])
      #expect(reply.status == 400 && reply.text.contains("invalid_dpop_proof"), "\(proof): \(reply.text)")
    }
    let reply = try await prover.redeem(code, proofs: [good])
    #expect(reply.status == 200 && reply.text.contains(#""token_type":"DPoP""#))
    let again = try await prover.redeem(code, proofs: [good])
    #expect(again.text.contains("invalid_dpop_proof"), "a proof can be used once")
  }

  @Test("a bound token requires a proof by its key")
  func resources() async throws {
    let prover = try await Prover()
    let token = try #require(try await prover.tokens()["access_token"]?.string)
    for address in [prover.client.provider.oidcIssuer + "/userinfo", prover.client.provider.graphURL + "/v1.0/me"] {
      let good = try prover.proof("GET", address, token: token)
      #expect(try await prover.get(address, "DPoP", token, proofs: [good]).status == 200)
      let other = try SigningKey.generate(for: .es256)
      let bad: [(String, [String])] = [
        ("Bearer", []), ("Bearer", [try prover.proof("GET", address, token: token)]), ("DPoP", []), ("DPoP", [good]),
        ("DPoP", [try prover.proof("GET", address)]), ("DPoP", [try prover.proof("GET", address, token: "other")]),
        ("DPoP", [try prover.proof("GET", address, token: token, by: other)]),
        ("DPoP", [try prover.proof("GET", address + "/x", token: token)]),
      ]
      for (scheme, proofs) in bad {
        let reply = try await prover.get(address, scheme, token, proofs: proofs)
        let challenge = reply.header("www-authenticate")
        #expect(reply.status == 401 && challenge?.hasPrefix("DPoP ") == true, "\(scheme) \(proofs)")
      }
    }
  }

  @Test("a code is bound to the request's key, a refresh token to the key that redeemed the code")
  func binding() async throws {
    let prover = try await Prover()
    let (address, other) = (prover.client.endpoints.token, try SigningKey.generate(for: .es256))
    func code() async throws -> String {
      try await prover.signIn(["dpop_jkt": prover.key.publicKey.thumbprint])
    }
    for proofs in [[], [try prover.proof("POST", address, by: other)]] {
      let reply = try await prover.redeem(code(), proofs: proofs)
      #expect(reply.status == 400 && reply.text.contains("invalid_grant"))
    }
    let tokens = try JSONValue(parsing: await prover.redeem(code(), proofs: [try prover.proof("POST", address)]).body)
    let refresh = prover.client.refreshForm(try #require(tokens["refresh_token"]?.string))
    for proofs in [[], [try prover.proof("POST", address, by: other)]] {
      #expect(try await prover.post(refresh, proofs).text.contains("invalid_grant"))
    }
    let renewed = try await prover.post(refresh, [try prover.proof("POST", address)])
    #expect(renewed.status == 200 && renewed.text.contains(#""token_type":"DPoP""#))
  }
}

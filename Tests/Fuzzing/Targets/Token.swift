import MSAuthCore
import MSAuthCrypto

@testable import MSAuthJOSE
@testable import MSAuthOAuth

private let now: UnixTime = 1_700_000_000
private let nonce = "n-0S6_WzA2Mj"
private let client = "s6BhdRkqt3"
private let issuer = "https://id.example"

/// ID tokens: as text, in three parts with an invalid signature, and signed by the provider.
@Sendable func fuzzToken(_ input: Input) {
  var input = input
  switch input.choice(of: 3) {
  case 0:
    require(read(input.text) == nil, "an unsigned token is rejected")
  case 1:
    let parts = [input.part(), input.part(), input.bytes].map { Base64URL.encode($0) }
    require(read(parts.joined(separator: ".")) == nil, "a forged token is rejected")
  default:
    let (header, payload) = (input.part(), input.bytes)
    let signed = try? JSONWebSignature.sign(payload, header: header, key: provider.key, algorithm: .edDSA)
    guard let signed, let claims = read(signed) else { return }
    checkAccepted(claims, payload)
    // A changed bit makes the signature invalid.
    let bytes = require(Base64URL.decode(signed.suffix(86)), "a signature is Base64URL")
    let forged = signed.dropLast(86) + Base64URL.encode([bytes[0] ^ 1] + bytes.dropFirst())
    require(read(String(forged)) == nil, "a token with a changed signature is rejected")
  }
}

private func read(_ text: String) -> IDTokenClaims? {
  var rules = IDTokenRules(issuer: .exact(issuer), clientID: client, nonce: Secret(nonce), now: now)
  rules.maxAge = 3600
  let token = Secret(text)
  if let unverified = try? IDToken.unverifiedClaims(token) { _ = (unverified.username, unverified.audience) }
  do {
    return try IDToken.validate(token, keys: provider.published, rules: rules)
  } catch {
    requirePrintable(error.message, "a message")
    return nil
  }
}

/// Checks the claims of an accepted token against its JSON.
private func checkAccepted(_ claims: IDTokenClaims, _ payload: [UInt8]) {
  let members = require(try? JSONValue.object(parsing: payload), "claims are a JSON object")
  require(members == claims.all, "claims are the signed ones")
  require(
    members["iss"] == .string(issuer) && members["nonce"] == .string(nonce),
    "a token has this request's issuer and nonce"
  )
  let audience = members["aud"]?.array ?? [members["aud"] ?? .null]
  require(audience.contains(.string(client)), "a token is for this client")
  require(audience.count == 1 || members["azp"] == .string(client), "a token for several audiences is for this client")
  require(members["sub"]?.string?.isEmpty == false, "a token has a subject")
  func time(_ name: String) -> Double { require(members[name]?.double, "a token has its times") }
  require(time("exp") > Double(now - 300), "a token has not expired")
  require(time("iat") < Double(now + 301), "a token wasn't issued in the future")
  require(time("auth_time") > Double(now - 3600 - 301), "the authentication is recent")
}

private let provider: (key: SigningKey, published: JSONWebKeySet) = {
  do {
    let key = try SigningKey.generate(for: .edDSA)
    var published = key.publicKey.webKey
    published["kid"] = "1"
    let set = JSONValue.object(["keys": [.object(published)]]).serialized()
    return (key, try JSONWebKeySet(parsing: set))
  } catch {
    fatalError("could not generate a key: \(error)")
  }
}()

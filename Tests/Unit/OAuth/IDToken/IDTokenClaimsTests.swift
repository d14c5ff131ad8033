import MSAuthCore
@testable import MSAuthJOSE
@testable import MSAuthOAuth
import Testing

@Suite("ID token claims")
struct IDTokenClaimsTests {
  static let names: [(claims: JSONValue.Object, username: String)] = [
    (["preferred_username": "p", "upn": "u", "email": "e", "sub": "s"], "p"),
    (["upn": "u", "email": "e", "sub": "s"], "u"),
    (["email": "e", "sub": "s"], "e"),
    (["sub": "s", "name": "n"], "s"),
    (["preferred_username": "", "upn": 5, "email": .null, "sub": "s"], "s"),
    (["preferred_username": .invalidString([0xD800]), "upn": .null, "email": "e", "sub": "s"], "e"),
    (["preferred_username": [], "emails": ["e"], "sub": "s"], "e"), (["emails": [5], "sub": "s"], "s"),
    ([:], ""),
  ]

  @Test("the username is preferred_username, otherwise upn, email or sub", arguments: names)
  func username(claims: JSONValue.Object, username: String) {
    #expect(IDTokenClaims(claims).username == username)
  }

  @Test("times are limited to those that can be added and subtracted")
  func extremeTimes() throws {
    let claims = IDTokenClaims(try JSONValue.object(parsing: Array(#"{"exp":9223372036854775807,"iat":-1}"#.utf8)))
    #expect([claims.expiresAt, claims.issuedAt] == [253_402_300_799, 0])
  }

  @Test("every typed claim has its own member")
  func typed() {
    let claims = IDTokenClaims([
      "iss": "iss", "sub": "sub", "aud": ["a", "b"], "azp": "azp", "exp": 1, "iat": 2, "nbf": 3, "auth_time": 4,
      "nonce": "nonce", "at_hash": "hash", "tid": "tid", "oid": "oid", "upn": "upn", "email": "email", "name": "name",
      "sid": "sid", "login_hint": "hint", "preferred_username": "user", "extra": ["kept": true],
    ])
    let names = [
      claims.issuer, claims.subject, claims.authorizedParty, claims.nonce?.revealed, claims.accessTokenHash,
      claims.tenantID, claims.objectID, claims.userPrincipalName, claims.email, claims.name, claims.loginHint,
      claims.preferredUsername,
    ]
    let expected = ["iss", "sub", "azp", "nonce", "hash", "tid", "oid", "upn", "email", "name", "hint", "user"]
    #expect(names == expected && claims.audience == ["a", "b"])
    #expect([claims.expiresAt, claims.issuedAt, claims.notBefore, claims.authenticatedAt] == [1, 2, 3, 4])
    #expect(claims.all["extra"] == ["kept": true])
  }

  @Test("a stored token is parsed without its signature")
  func unverified() throws {
    let payload = Base64URL.encode(#"{"sub":"s","aud":[]}"#.utf8)
    for header in ["eyJhbGciOiJub25lIn0", "", "header"] {
      #expect(try IDToken.unverifiedClaims(Secret("\(header).\(payload).signature")).subject == "s")
    }
    for text in ["", payload, "a.b", "a.\(payload).c.d", "a.!.c", "a.W10.c"] {
      #expect(throws: TokenRejection.self) { try IDToken.unverifiedClaims(Secret(text)) }
    }
  }
}

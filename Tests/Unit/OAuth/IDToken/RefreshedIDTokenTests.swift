import Foundation
import OAuth
import Core
import Testing

@Suite("The ID token of a refresh")
struct RefreshedIDTokenTests {
  /// When the token before was issued.
  private static let issued = IDTokenClaims(SampleSignIn.claims()).issuedAt ?? 0

  static let changes: [Change] = [
    Change("nothing", nil),
    Change("nonce", nil, nil),
    Change("nonce", "another", .refreshedNonceChanged),
    Change("sub", "subject-2", .refreshedSubjectChanged),
    Change("sub", "Subject-1", .refreshedSubjectChanged),
    Change("auth_time", nil, nil),
    Change("auth_time", .init(integerLiteral: SampleSignIn.now), .refreshedAuthenticationTimeChanged),
    Change("azp", .string(SampleSignIn.client), .refreshedAuthorizedPartyChanged),
    Change("iss", "https://login.example/other", .refreshedIssuerChanged),
    Change("aud", "another", .refreshedAudienceChanged),
    Change("aud", ["another", .string(SampleSignIn.client)], nil),
    Change("iat", .init(integerLiteral: SampleSignIn.now), nil),
    Change("iat", .number(JSON.Number(issued - IDTokenRules.usualClockTolerance)), nil),
    Change("iat", .number(JSON.Number(issued - IDTokenRules.usualClockTolerance - 1)), .refreshedIssuedEarlier),
    Change("iat", .number(JSON.Number(Int64.min)), .refreshedIssuedEarlier),
    Change("name", "A new name", nil),
  ]

  @Test("what must stay as it was stays (12.2)", arguments: changes)
  func continuity(change: Change) {
    var claims = SampleSignIn.claims()
    change.claims(&claims)
    var found: IDTokenError.Code?
    do {
      try RefreshedIDTokenRules(original: IDTokenClaims(SampleSignIn.claims())).check(IDTokenClaims(claims))
    } catch {
      found = error.rule
    }
    #expect(found == change.code)
  }

  @Test("a party that was named stays named; an audience that was there stays there")
  func onceNamed() {
    var original = SampleSignIn.claims()
    original["azp"] = "party"
    original["aud"] = ["a", "b"]
    let rules = RefreshedIDTokenRules(original: IDTokenClaims(original))
    var claims = original
    claims["azp"] = nil
    let party = #expect(throws: IDTokenError.self) { try rules.check(IDTokenClaims(claims)) }
    #expect(party?.rule == .refreshedAuthorizedPartyChanged)
    claims = original
    claims["aud"] = ["b", "c"]
    let audience = #expect(throws: IDTokenError.self) { try rules.check(IDTokenClaims(claims)) }
    #expect(audience?.rule == .refreshedAudienceChanged)
  }

  @Test("a refreshed token is validated like any other, but for the nonce")
  func validated() throws {
    let signer = try SampleSignIn.signer()
    let keys = try SampleSignIn.keySet(signer.jwk())
    let original = IDTokenClaims(SampleSignIn.claims())
    func refusal(_ change: (inout JSON.Object) -> Void) throws -> IDTokenError.Code? {
      var claims = SampleSignIn.claims()
      change(&claims)
      do {
        _ = try IDToken.validateRefreshed(
          signer.token(claims),
          after: original,
          keys: keys,
          rules: SampleSignIn.rules { $0.nonce = nil }
        )
        return nil
      } catch let error as IDTokenError {
        return error.rule
      }
    }
    #expect(try refusal { _ in } == nil)
    #expect(try refusal { $0["nonce"] = nil } == nil)
    #expect(try refusal { $0["nonce"] = "another" } == .refreshedNonceChanged)
    #expect(try refusal { $0["sub"] = "subject-2" } == .refreshedSubjectChanged)
    #expect(try refusal { $0["iss"] = "https://login.example/other" } == .issuerMismatch)
    #expect(try refusal { $0["exp"] = 5 } == .expired)
    #expect(try refusal { $0["at_hash"] = "AAAA" } == .accessTokenMismatch)
  }
}

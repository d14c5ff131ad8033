import MSAuth
import Testing

@Suite("claims requests (OpenID Connect Core 5.5)")
struct ClaimsRequestTests {
  @Test("requested claims round-trip through JSON")
  func roundTrip() throws {
    var request = ClaimsRequest()
    request.request(IndividualClaimRequest("nickname"), for: .idToken)
    request.request(IndividualClaimRequest("auth_time", essential: true), for: .idToken)
    request.request(IndividualClaimRequest("acrs", essential: true, value: "c1"), for: .accessToken)
    request.request(IndividualClaimRequest("xms_cc", values: ["CP1", 2, true]), for: .accessToken)
    let accessToken = #"{"acrs":{"essential":true,"value":"c1"},"xms_cc":{"values":["CP1",2,true]}}"#
    let idToken = #"{"auth_time":{"essential":true},"nickname":null}"#
    #expect(request.json == #"{"access_token":\#(accessToken),"id_token":\#(idToken)}"#)
    let again = try ClaimsRequest(json: request.json)
    #expect(again == request)
    #expect(again.claims(for: .idToken).map(\.name) == ["auth_time", "nickname"])
    #expect(again.claims(for: .accessToken).last?.values == ["CP1", 2, true])
  }

  @Test("a claim can be replaced and removed")
  func replacing() {
    var request = ClaimsRequest()
    request.request(IndividualClaimRequest("acr", value: "1"), for: .idToken)
    request.request(IndividualClaimRequest("acr", value: "2"), for: .idToken)
    #expect(request.claims(for: .idToken) == [IndividualClaimRequest("acr", value: "2")])
    let removals = [request.remove(named: "acr", for: .idToken), request.remove(named: "acr", for: .idToken)]
    #expect(removals == [true, false])
    #expect(request.isEmpty && request.json == "{}")
  }

  @Test("unknown members are kept")
  func unknown() throws {
    var request = try ClaimsRequest(json: #"{"userinfo":{"email":null}}"#)
    request.request(IndividualClaimRequest("acr"), for: .idToken)
    #expect(request.json == #"{"id_token":{"acr":null},"userinfo":{"email":null}}"#)
  }

  @Test(
    "an invalid claims request is rejected",
    arguments: [
      "[]", "nonsense", #""text""#, #"{"id_token":[]}"#, #"{"access_token":"x"}"#,
      "{\"id_token\":{\"a\":\"\(String(repeating: "x", count: 9000))\"}}",
    ]
  )
  func rejected(json: String) {
    let error = #expect(throws: AuthenticationError.self) { try ClaimsRequest(json: json) }
    #expect(error?.code == .invalidParameter)
  }
}

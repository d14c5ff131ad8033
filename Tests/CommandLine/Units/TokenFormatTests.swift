import Foundation
import MSAuth
import MSAuthCore
import Testing

@testable import msauth

@Suite("token output formats")
struct TokenFormatTests {
  private func result(_ claims: JSONValue.Object = [:], username: String = "ada", token: String = "tok") -> TokenResult
  {
    TokenResult(
      accessToken: token,
      expiresOn: Date(timeIntervalSince1970: 1_800_000_000),
      scopes: ["s"],
      account: Account(identifier: "1", username: username, environment: "id.example", claims: claims)
    )
  }

  private func decoded(_ base64: String) throws -> String {
    String(decoding: try #require(Data(base64Encoded: base64)), as: UTF8.self)
  }

  @Test("XOAUTH2 has the address and the token between control characters, in Base64")
  func xoauth2() throws {
    // The example in Google's documentation.
    let response = try result(
      ["email": "someuser@example.com"],
      token: "ya29.vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg"
    ).xoauth2()
    let example =
      "dXNlcj1zb21ldXNlckBleGFtcGxlLmNvbQFhdXRoPUJlYXJlciB5YTI5LnZGOWRmdDRxbVRjMk52YjNSbGNrQmhkSFJoZG1semRHRXVZMjl0Q2cBAQ=="
    #expect(response == example)
    #expect(try decoded(result().xoauth2(user: "box@x")) == "user=box@x\u{1}auth=Bearer tok\u{1}\u{1}")
  }

  @Test("OAUTHBEARER has host and port if given, and escapes the name (RFC 7628, RFC 5801)")
  func oauthBearer() throws {
    // The example of RFC 7628 §4.1.
    let rfc = result(["email": "user@example.com"], token: "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==")
    #expect(
      try rfc.oauthBearer(host: "server.example.com", port: 143)
        == "bixhPXVzZXJAZXhhbXBsZS5jb20sAWhvc3Q9c2VydmVyLmV4YW1wbGUuY29tAXBvcnQ9MTQzAWF1dGg9QmVhcmVyIHZGOWRmdDRxbVRjMk52YjNSbGNrQmhiSFJoZG1semRHRXVZMjl0Q2c9PQEB"
    )
    #expect(try decoded(rfc.oauthBearer(user: "a,b=c@x")).hasPrefix("n,a=a=2Cb=3Dc@x,\u{1}auth=Bearer "))
  }

  @Test("values that the mechanisms can't express are rejected")
  func rejected() {
    func code(_ body: () throws -> String) -> AuthenticationError.Reason? {
      #expect(throws: AuthenticationError.self) { try body() }?.reason
    }
    #expect(code { try result().xoauth2() } == "mail_address_missing")
    #expect(code { try result().xoauth2(user: "a\u{1}auth=Bearer x@y") } == "token_not_printable")
    #expect(code { try result().oauthBearer(user: "a@b", host: "h\u{1}port=1") } == "token_not_printable")
    #expect(code { try result(token: "a\u{1}b").xoauth2(user: "a@b") } == "token_not_printable")
    var bound = result()
    bound.tokenType = "DPoP"
    #expect(code { try bound.xoauth2(user: "a@b") } == "token_bound")
    #expect(code { try bound.execCredential() } == "token_bound")
    #expect(code { try result().execCredential(usingIDToken: true) } == "id_token_missing")
  }

  @Test("an ExecCredential has the requested version, the token and its expiry")
  func execCredential() throws {
    #expect(
      try result().execCredential(.v1beta1)
        == #"{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","#
        + #""status":{"expirationTimestamp":"2027-01-15T08:00:00Z","token":"tok"}}"#
    )
    func version(_ info: String) throws -> ExecCredentialVersion {
      try ExecCredentialVersion(environment: ["KUBERNETES_EXEC_INFO": info])
    }
    #expect(try ExecCredentialVersion(environment: [:]) == .v1)
    for known in ExecCredentialVersion.allCases {
      let info = #"{"kind":"ExecCredential","apiVersion":"\#(known.rawValue)","spec":{"interactive":false}}"#
      #expect(try version(info) == known)
    }
    let others = [
      #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1alpha1"}"#, #"{"kind":"Pod"}"#, "{", "[]",
    ]
    for info in others {
      #expect(throws: AuthenticationError.self) { try version(info) }
    }
  }
}

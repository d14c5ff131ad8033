import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE
import Testing

/// The RFCs' examples, independent of this implementation.
@Suite("published signed tokens")
struct PublishedVectorTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let algorithm: SignatureAlgorithm
    let key: String
    let token: String
    let payload: String
  }

  static let joe = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
  static let joePayload = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"

  static let vectors = [
    Vector(
      testDescription: "RFC 7515 A.2, RS256",
      algorithm: .rs256,
      key: """
        {"kty":"RSA","e":"AQAB","n":"\
        ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZ\
        S-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2\
        R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcD\
        TW9gb54h4FRWyuXpoQ"}
        """,
      token: """
        eyJhbGciOiJSUzI1NiJ9.\(joe).\
        cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CU\
        Ar7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_d\
        O--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0ig\
        cN_IoypGlUPQGe77Rw
        """,
      payload: joePayload
    ),
    Vector(
      testDescription: "RFC 8037 A.4, EdDSA",
      algorithm: .edDSA,
      key: #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
      token: """
        eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.\
        hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
        """,
      payload: "Example of Ed25519 signing"
    ),
  ]

  @Test("an example verifies with its key", arguments: vectors)
  func verifies(vector: Vector) throws {
    let token = try JSONWebSignature(parsing: Secret(vector.token))
    let key = try #require(JSONWebKey(try JSONValue(parsing: vector.key.utf8)))
    #expect(token.algorithm == vector.algorithm)
    #expect(String(decoding: token.payload, as: UTF8.self) == vector.payload)
    #expect(key.suits(vector.algorithm))
    #expect(token.isSigned(by: key.publicKey))
  }
}

import DemoProvider
import MSAuthCore
import MSAuthCrypto
import Testing

@Suite("DemoProvider: metadata and resources")
struct MetadataTests {
  @Test(
    "the issuer is a template if the tenant depends on the account",
    arguments: [
      ("common", "{tenantid}"), ("organizations", "{tenantid}"), ("consumers", "9188040d-6c67-4c5b-b112-36a304b66dad"),
      ("bbbbcccc-1111-dddd-2222-eeee3333ffff", "bbbbcccc-1111-dddd-2222-eeee3333ffff"),
    ]
  )
  func entra(_ tenant: String, _ issuer: String) async throws {
    let client = try await DemoClient(tenant: tenant)
    let metadata = try await client.json(client.metadataURL)
    #expect(metadata["issuer"]?.string == "\(client.provider.baseURL)/\(issuer)/v2.0")
    #expect(metadata["token_endpoint"]?.string == "\(client.provider.baseURL)/\(tenant)/oauth2/v2.0/token")
    #expect(metadata["response_modes_supported"] == ["query", "fragment", "form_post"])
    #expect(metadata["end_session_endpoint"] != nil)
    // Entra lacks these.
    for absent in [
      "revocation_endpoint", "authorization_response_iss_parameter_supported", "code_challenge_methods_supported",
    ] {
      #expect(metadata[absent] == nil)
    }
  }

  @Test("an unknown tenant is a complete AADSTS error")
  func unknownTenant() async throws {
    let client = try await DemoClient(tenant: "nobody.example")
    let reply = try await client.get(client.metadataURL)
    #expect(reply.status == 400)
    let error = try JSONValue(parsing: reply.body)
    #expect(error["error"] == "invalid_tenant")
    #expect(error["error_codes"] == [90002])
    let lines = try #require(error["error_description"]?.string).split(separator: "\r\n")
    #expect(lines.map { $0.prefix { $0 != ":" } } == ["AADSTS90002", "Trace ID", "Correlation ID", "Timestamp"])
    #expect(lines[2].hasSuffix(try #require(error["correlation_id"]?.string)))
  }

  @Test("a port in use is an error")
  func port() async throws {
    let provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    let port = try #require(provider.baseURL.split(separator: ":").last.flatMap { UInt16($0) })
    await #expect(throws: (any Error).self) { try await DemoProvider.start(DemoOptions(port: port)) }
  }
}

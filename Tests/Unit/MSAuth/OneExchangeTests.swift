import MSAuthCore
import MSAuthTransport
import Synchronization
import Testing

@testable import MSAuth
@testable import MSAuthOAuth

@Suite("one exchange")
struct OneExchangeTests {
  /// Rejects the client, and counts the requests.
  private final class Endpoint: HTTPTransport {
    let count = Atomic(0)

    func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
      count.add(1, ordering: .relaxed)
      let headers = [("Content-Type", "application/json")]
      return HTTPResponse(status: 401, headers: headers, body: Array(#"{"error":"invalid_client"}"#.utf8))
    }
  }

  @Test(
    "a code or a refresh token is sent once, even if the client is rejected",
    arguments: [true, false]
  )
  func once(isRefresh: Bool) async throws {
    let scopes = try Scopes(["a"])
    let code = TokenRequest.Grant.authorizationCode(
      code: Secret("c"),
      redirectURI: "http://127.0.0.1/",
      verifier: Secret("v")
    )
    let request = TokenRequest(isRefresh ? .refreshToken(Secret("r"), scopes: scopes) : code)
    let endpoint = Endpoint()
    var dependencies = Dependencies.offline(MemoryStore())
    dependencies.transport = endpoint
    let provider = try Provider.offline(dependencies)
    #expect(!provider.metadata.tokenEndpointAuthMethods.contains("none"))
    let error = await #expect(throws: AuthenticationError.self) {
      try await provider.tokens(for: request, requesting: scopes)
    }
    #expect(error?.provider != nil)
    #expect(endpoint.count.load(ordering: .relaxed) == 1)
  }
}

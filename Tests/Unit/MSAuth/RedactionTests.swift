import MSAuthCore
import MSAuthOAuth
import MSAuthTransport
import TestSupport
import Testing

@testable import MSAuth
@testable import MSAuthCache
@testable import MSAuthLoopback

@Suite("values with secrets")
struct RedactionTests {
  @Test("no secret is printed, on its own or in another value")
  func secrets() throws {
    var configuration = ClientConfiguration(clientID: "app", environment: ["API_KEY": "hidden"])
    configuration.clientSecret = "hidden"
    let secret: JSONValue.Object = ["secret": "hidden"]
    let values: [Any] = [
      configuration,
      Context.offline(.offline(MemoryStore()), configuration),
      try PublicClientApplication(configuration: configuration, dependencies: .offline(MemoryStore())),
      TokenResult(accessToken: "hidden", expiresOn: .now, scopes: [], idToken: "hidden", account: .sample()),
      RedirectField(name: "code", value: "hidden"),
      RedirectRequest(redirectURI: "", state: "hidden", responseMode: .query, timeout: .zero, isMicrosoft: true),
      LoopbackRequest(method: "GET", path: "/", query: "hidden", headers: [("cookie", "hidden")], host: "localhost"),
      HTTPResponse(status: 302, headers: [("Location", "/?code=hidden")], body: Array("hidden".utf8)),
      EndpointResponse(status: 200, body: Array("hidden".utf8)),
      try TokenCacheDocument(parsing: JSONValue.object(secret).serialized()),
      Journal.Change(spent: "hidden", patch: secret),
    ]
    for value in values {
      #expect(!printed(value).contains("hidden"))
      #expect(!printed([value]).contains("hidden"))
    }
    #expect("\(configuration)" == "ClientConfiguration(app at https://login.microsoftonline.com/common)")
  }
}

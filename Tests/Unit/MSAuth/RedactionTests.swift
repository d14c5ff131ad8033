import MSAuthCache
import TestSupport
import Testing

@testable import MSAuth

@Suite("values with secrets")
struct RedactionTests {
  @Test("no secret is printed, on its own or in another value")
  func secrets() throws {
    var configuration = ClientConfiguration(clientID: "app", environment: ["API_KEY": "hidden"])
    configuration.clientSecret = "hidden"
    let values: [Any] = [
      configuration,
      try PublicClientApplication(configuration: configuration, dependencies: .offline(MemoryStore())),
      TokenResult(accessToken: "hidden", expiresOn: .now, scopes: [], idToken: "hidden", account: .sample()),
      RedirectField(name: "code", value: "hidden"),
      RedirectRequest(
        redirectURI: "http://localhost",
        state: "hidden",
        responseMode: .query,
        timeout: .seconds(1),
        isMicrosoft: true
      ),
    ]
    for value in values {
      #expect(!printed(value).contains("hidden"))
      #expect(!printed([value]).contains("hidden"))
    }
    #expect("\(configuration)" == "ClientConfiguration(app at https://login.microsoftonline.com/common)")
  }
}

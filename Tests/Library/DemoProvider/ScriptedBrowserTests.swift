import DemoProvider
import Testing

@Suite("the scripted browser")
struct ScriptedBrowserTests {
  @Test(
    "an invalid address is described",
    arguments: [
      ("foo", "foo isn't a loopback address such as http://127.0.0.1:8080/"),
      ("https://127.0.0.1/", "https://127.0.0.1/ isn't a loopback address such as http://127.0.0.1:8080/"),
      ("http://id.example/", "http://id.example/ isn't a loopback address such as http://127.0.0.1:8080/"),
      // Nothing listens at the discard port (RFC 863).
      ("http://127.0.0.1:9/", "could not connect to 127.0.0.1:9: connection refused"),
    ]
  )
  func addresses(address: String, message: String) async {
    let error = await #expect(throws: ScriptedBrowserError.self) { try await ScriptedBrowser().open(address) }
    #expect(error.map { "\($0)" } == message)
  }
}

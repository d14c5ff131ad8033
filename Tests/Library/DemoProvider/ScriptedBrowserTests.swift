import DemoProvider
import Testing

@Suite("the browser without a screen")
struct ScriptedBrowserTests {
  @Test(
    "says in words what is wrong with an address",
    arguments: [
      ("foo", "foo is not an address on this computer, such as http://127.0.0.1:8080/"),
      ("https://127.0.0.1/", "https://127.0.0.1/ is not an address on this computer, such as http://127.0.0.1:8080/"),
      ("http://id.example/", "http://id.example/ is not an address on this computer, such as http://127.0.0.1:8080/"),
      // Nobody listens at the port for discarded data (RFC 863).
      ("http://127.0.0.1:9/", "nothing answers at 127.0.0.1:9"),
    ]
  )
  func addresses(address: String, message: String) async {
    let error = await #expect(throws: ScriptedBrowserError.self) { try await ScriptedBrowser().open(address) }
    #expect(error.map { "\($0)" } == message)
  }
}

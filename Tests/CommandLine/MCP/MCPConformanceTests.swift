import TestSupport
import Testing

@Suite("the MCP conformance suite's scenarios for clients", .limitedConcurrency)
struct MCPConformanceTests {
  @Test("the client completes, or rejects the server with the reason", arguments: MCPScenario.all)
  func scenario(_ scenario: MCPScenario) async throws {
    let server = try ScriptedMCPServer.accepting(scenario.response)
    let home = try Home()
    // A server without metadata needs a click.
    let options = ["--browser", Bridge.browser] + scenario.options
    let bridge = try await Bridge(server.url, home: home, options: options, notifySend: "echo sign-in")
    var responses = [try await bridge.call("initialize")]
    if responses[0].contains(#""result""#) { responses.append(try await bridge.call("tools/call")) }
    let last = try #require(responses.last)
    #expect(last.contains(#""result""#) == (scenario.rejection == nil), "\(last)")
    if let rejection = scenario.rejection, !last.contains(rejection) {
      let words = ["mcp", "login", "--json", "--store", "file"] + options + [server.url]
      let login = try await bridge.runner.outcome(of: bridge.runner.start(words))
      #expect(try login.json["error"]?["reason"]?.string == rejection, "\(login)")
    }
    #expect(scenario.isFollowed(server), "\(server.requests)")
    for request in server.requests(to: "POST /token") {
      #expect(request.contains("code_verifier="))
      #expect(request.contains("resource=") == scenario.sendsResource)
    }
  }
}

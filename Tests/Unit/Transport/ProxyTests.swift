import TestSupport
import Testing

@testable import Transport

@Suite struct ProxyTests {
  @Test(
    "https goes through the proxy of the environment",
    arguments: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
  )
  func tunnel(variable: String) async throws {
    let proxy = try ScriptedServer { $0.answer("403 Forbidden") }
    let error = await failure(transport([variable: proxy.url]), HTTPRequest(.get, "https://nobody.invalid/"))
    #expect(try #require(proxy.rawRequests.first).hasPrefix("CONNECT nobody.invalid:443 "))
    #expect(error?.kind == .unreachable)
    #expect(error?.message == "the proxy refused to connect to nobody.invalid:443 (status 403)")
  }

  @Test("a host of no_proxy is asked directly", arguments: ["no_proxy", "NO_PROXY"])
  func exempt(variable: String) async throws {
    let proxy = try ScriptedServer { $0.answer("403 Forbidden") }
    let environment = ["https_proxy": proxy.url, variable: "other.example,.invalid"]
    let error = await failure(transport(environment), HTTPRequest(.get, "https://nobody.invalid/"))
    #expect(proxy.connections == 0)
    #expect(error?.message.contains("does not resolve") == true)
  }

  @Test("a loopback host never goes through a proxy", arguments: ["http_proxy", "https_proxy", "ALL_PROXY"])
  func loopback(variable: String) async throws {
    let proxy = try ScriptedServer { $0.answer("403 Forbidden") }
    let server = try ScriptedServer { $0.answer() }
    #expect(try await transport([variable: proxy.url]).send(HTTPRequest(.get, server.url)).status == 200)
    #expect(proxy.connections == 0)
  }
}

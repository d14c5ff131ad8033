import TestSupport
import Testing

@testable import MSAuthTransport

@Suite struct ProxyTests {
  @Test("https uses the environment's proxy", arguments: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
  func tunnel(variable: String) async throws {
    let proxy = try ScriptedServer { $0.answer("403 Forbidden") }
    let error = await failure(transport([variable: proxy.url]), HTTPRequest(.get, "https://nobody.invalid/"))
    #expect(try #require(proxy.rawRequests.first).hasPrefix("CONNECT nobody.invalid:443 "))
    #expect(error?.reason == .unreachable)
    #expect(error?.message == "the proxy refused to connect to nobody.invalid:443 (status 403)")
  }

  @Test(
    "an unresponsive proxy is named with its variable, without the provider and its password",
    arguments: [
      ("https_proxy", ""), ("HTTPS_PROXY", "http://"), ("ALL_PROXY", "socks5://"), ("all_proxy", "socks5h://"),
      ("https_proxy", "http://ann:pssst@"),
    ]
  )
  func refused(variable: String, prefix: String) async throws {
    try await withRefusingPort { port in
      let exempt = "example,other.invalid, body.invalid,10.0.0.0/8"
      let environment = [variable: "\(prefix)127.0.0.1:\(port)/", "no_proxy": exempt]
      let error = await failure(transport(environment), HTTPRequest(.get, "https://nobody.invalid/"))
      #expect(error?.reason == .unreachable)
      #expect(error?.message == "could not connect to the proxy 127.0.0.1:\(port) (\(variable)): connection refused")
      #expect(error?.hint == "check \(variable), or add the host to no_proxy")
    }
  }

  @Test("an unresolvable proxy is named")
  func unknownName() async throws {
    let environment = ["https_proxy": "http://proxy.invalid:3128"]
    let error = await failure(transport(environment), HTTPRequest(.get, "https://nobody.invalid/"))
    #expect(error?.message == "could not find the proxy proxy.invalid:3128 (https_proxy): its name does not resolve")
  }

  @Test("an unknown proxy scheme is rejected before a request is sent", arguments: ["foo://bar", "ftp://127.0.0.1:1"])
  func scheme(_ proxy: String) async throws {
    let error = await failure(transport(["https_proxy": proxy]), HTTPRequest(.get, "https://nobody.invalid/"))
    #expect(error?.reason == .urlRefused)
    #expect(
      error?.message.hasPrefix("https_proxy names a proxy with the scheme \(proxy.prefix(3)); supported are ") == true
    )
    #expect(error?.hint == "check \("https_proxy"), or add the host to no_proxy")
  }

  @Test("a no_proxy host is contacted directly", arguments: ["no_proxy", "NO_PROXY"])
  func exempt(variable: String) async throws {
    let proxy = try ScriptedServer { $0.answer("403 Forbidden") }
    let environment = ["https_proxy": proxy.url, variable: "other.example,.invalid"]
    let error = await failure(transport(environment), HTTPRequest(.get, "https://nobody.invalid/"))
    #expect(proxy.connections == 0)
    #expect(error?.message == "could not find nobody.invalid: its name does not resolve")
  }

  @Test("a loopback host never uses a proxy", arguments: ["http_proxy", "https_proxy", "ALL_PROXY"])
  func loopback(variable: String) async throws {
    let proxy = try ScriptedServer { $0.answer("403 Forbidden") }
    let server = try ScriptedServer { $0.answer() }
    #expect(try await transport([variable: proxy.url]).send(HTTPRequest(.get, server.url)).status == 200)
    #expect(proxy.connections == 0)
  }
}

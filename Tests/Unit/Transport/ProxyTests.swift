import TestSupport
import Testing

@testable import MSAuthTransport

@Suite struct ProxyTests {
  private let request = HTTPRequest(.get, "https://nobody.invalid/")

  @Test("https uses the environment's proxy", arguments: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
  func tunnel(variable: String) async throws {
    let proxy = try ScriptedServer { $0.respond("403 Forbidden") }
    let error = await failure(transport([variable: proxy.url]), request)
    #expect(try #require(proxy.rawRequests.first).hasPrefix("CONNECT nobody.invalid:443 "))
    #expect(error?.reason == .unreachable)
    let name = "the proxy 127.0.0.1:\(proxy.port) (\(variable))"
    #expect(error?.message == "\(name) refused to connect to nobody.invalid:443 (status 403)")
    #expect(error?.hint == NetworkSettings.allowHost("nobody.invalid:443"))
    #expect(error?.proxyFault == .rejected)
  }

  @Test(
    "a proxy that is reached and can't be used is named, with what to do",
    arguments: [
      ("http://", 407, "NAME requires a user and a password (status 407)", "http://USER:PASSWORD@"),
      ("http://ada:pssst@", 407, "NAME rejected the user and the password", "@ as %40"),
      ("http://ada@", 407, "NAME rejected the user and the password", "proxy's administrator"),
      ("http://", 503, "NAME refused to connect to nobody.invalid:443 (status 503)", "administrator"),
    ]
  )
  func unusable(prefix: String, status: Int, message: String, hint: String) async throws {
    let proxy = try ScriptedServer { _ = $0.send("HTTP/1.1 \(status) x\r\n\r\n") }
    let environment = ["https_proxy": "\(prefix)127.0.0.1:\(proxy.port)"]
    let error = await failure(transport(environment), request)
    let name = "the proxy 127.0.0.1:\(proxy.port) (https_proxy)"
    #expect(error?.reason == .unreachable)
    #expect(error?.message.hasPrefix(message.replacing("NAME", with: name)) == true, "\(String(describing: error))")
    #expect(error?.hint?.description.contains(hint) == true)
    #expect(error?.message.contains("pssst") == false && error?.hint?.description.contains("pssst") == false)
  }

  @Test("https:// for a proxy without TLS, and an untrusted certificate of the proxy, are blamed on the proxy")
  func overTLS() async throws {
    let plain = try ScriptedServer { $0.respond() }
    let limits = TransferLimits(connect: .milliseconds(500), total: .seconds(1))
    let impatient = transport(["https_proxy": "https://127.0.0.1:\(plain.port)"], limits: limits)
    let error = await failure(impatient, request)
    #expect(error?.message.contains("the proxy 127.0.0.1:\(plain.port) (https_proxy)") == true)

    let server = try await TLSServer(names: "IP:127.0.0.1")
    let environment = ["HTTPS_PROXY": "https://127.0.0.1:\(server.port)"]
    let untrusted = await failure(transport(environment), request)
    #expect(untrusted?.reason == .unreachable)
    let message = "the certificate of the proxy 127.0.0.1:\(server.port) (HTTPS_PROXY) isn't trusted (name or issuer)"
    #expect(untrusted?.message == message)
    #expect(untrusted?.hint?.description.hasPrefix("check HTTPS_PROXY; ") == true)
  }

  @Test(
    "a value that isn't a proxy's URL is rejected before a request is sent, and never printed",
    arguments: [
      ("http://ada:pss@st@127.0.0.1:1", "@ as %40"), ("ada:pss@st@127.0.0.1:1", "@ as %40"),
      ("http://ada:pss/st@127.0.0.1:1", "/ as %2F"), ("http://ada:pss#st@127.0.0.1:1", "# as %23"),
      ("http://ada:pss?st@127.0.0.1:1", "? as %3F"), ("http://ada:pss st@127.0.0.1:1", "percent-encode"),
      ("http://ada:pssst", "http://HOST:PORT"), ("http://", "http://HOST:PORT"),
      ("127.0.0.1:99999", "http://HOST:PORT"),
    ]
  )
  func value(_ proxy: String, hint: String) async throws {
    let error = try #require(await failure(transport(["https_proxy": proxy]), request))
    #expect(error.reason == .urlRefused && error.message.contains("https_proxy"))
    #expect(error.hint?.description.contains(hint) == true)
    #expect(!error.description.contains("pss") && error.hint?.description.contains("pss") == false)
  }

  @Test(
    "a SOCKS proxy's refusal is named",
    arguments: [
      ([5, 0xFF], "NAME rejected the user and the password, or requires them"),
      (Array("HTTP/1.1 400 x\r\n\r\n".utf8), "couldn't get through NAME"),
    ] as [([UInt8], String)]
  )
  func socks(response: [UInt8], message: String) async throws {
    let listener = try LocalListener()
    Task { try await blocking { if let peer = listener.accept() { try peer.send(response) } } }
    let environment = ["all_proxy": "socks5h://127.0.0.1:\(listener.port)"]
    let limits = TransferLimits(connect: .seconds(60), total: .seconds(60))
    let error = await failure(transport(environment, limits: limits), request)
    let name = "the proxy 127.0.0.1:\(listener.port) (all_proxy)"
    #expect(error?.message.hasPrefix(message.replacing("NAME", with: name)) == true, "\(String(describing: error))")
    listener.shutDown()
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
      let error = await failure(transport(environment), request)
      #expect(error?.reason == .unreachable)
      #expect(error?.message == "couldn't connect to the proxy 127.0.0.1:\(port) (\(variable)): connection refused")
      #expect(error?.hint == "check \(variable), or add the host to no_proxy")
    }
  }

  @Test("an unresolvable proxy is named")
  func unknownName() async throws {
    let environment = ["https_proxy": "http://proxy.invalid:3128"]
    let error = await failure(transport(environment), request)
    #expect(error?.message == "couldn't find the proxy proxy.invalid:3128 (https_proxy): its name doesn't resolve")
  }

  @Test("an unknown proxy scheme is rejected before a request is sent", arguments: ["foo://bar", "ftp://127.0.0.1:1"])
  func scheme(_ proxy: String) async throws {
    let error = await failure(transport(["https_proxy": proxy]), request)
    #expect(error?.reason == .urlRefused)
    let message = "https_proxy names a proxy with the scheme \(proxy.prefix(3)); supported are "
    #expect(error?.message.hasPrefix(message) == true)
    #expect(error?.hint == "check \("https_proxy"), or add the host to no_proxy")
  }

  @Test("a no_proxy host is contacted directly", arguments: ["no_proxy", "NO_PROXY"])
  func exempt(variable: String) async throws {
    let proxy = try ScriptedServer { $0.respond("403 Forbidden") }
    let environment = ["https_proxy": proxy.url, variable: "other.example,.invalid"]
    let error = await failure(transport(environment), request)
    #expect(proxy.connections == 0)
    #expect(error?.message == "couldn't find nobody.invalid: its name doesn't resolve")
  }

  @Test("a loopback host never uses a proxy", arguments: ["http_proxy", "https_proxy", "ALL_PROXY"])
  func loopback(variable: String) async throws {
    let proxy = try ScriptedServer { $0.respond("403 Forbidden") }
    let server = try ScriptedServer { $0.respond() }
    #expect(try await transport([variable: proxy.url]).send(HTTPRequest(.get, server.url)).status == 200)
    #expect(proxy.connections == 0)
  }
}

import TestSupport
import Testing

@testable import MSAuthTransport

@Suite struct RejectionTests {
  @Test(
    "an invalid URL is rejected before a request is sent",
    arguments: [
      "file:///etc/passwd", "ftp://127.0.0.1/", "javascript:alert(1)", "gopher://127.0.0.1:70/", "", "https://",
      "//host/", "http://example.com/", "http://127.0.0.1.example.com/", "http://127.1/", "http://0x7f000001/",
      "http://127.0.0.01/", "http://2130706433/", "http://localhost.example.com/", "http://[::ffff:127.0.0.1]/",
      "http://0.0.0.0/", "https://user@host/", "https://user:pass@host/", "http://127.0.0.1@example.com/",
      "http://example.com#@127.0.0.1/", "https://host\\@other/", "https://host/a b", "https://host/\r\nX: y",
      "https://host/\u{0}", "https://h\u{F6}st/", "https://host:0/", "https://host:65536/", "https://host:/",
      "https://host:1x/", "https://[::1/", "https://h%6Fst/", "https://-host/", "https://host/#fragment", "https:host/",
      "https://host/" + String(repeating: "a", count: WebURL.Policy.request.maximumBytes),
    ]
  )
  func url(_ url: String) async throws {
    let error = try #require(await failure(transport(), HTTPRequest(.get, url)))
    #expect(error.reason == .urlRefused && error.message.allSatisfy { !$0.isNewline && $0 != "\u{0}" })
  }

  @Test(
    "host and port are parsed like libcurl's",
    arguments: [
      ("https://Example.COM", "example.com:443", false),
      ("https://h_o-st.example:8443?x", "h_o-st.example:8443", false),
      ("http://127.200.3.4:81/", "127.200.3.4:81", true), ("http://LOCALHOST/", "localhost:80", true),
      ("HTTP://[::1]:8080/", "[::1]:8080", true), ("https://[2001:db8::1]/", "[2001:db8::1]:443", false),
    ]
  )
  func accepted(url: String, name: String, isLoopback: Bool) throws {
    let destination = try WebURL(requesting: url)
    #expect(destination.name == name)
    #expect(destination.isLoopback == isLoopback)
  }

  @Test(
    "of IPv6 addresses, those that begin with the bits of 2000::/3 are public",
    arguments: [
      ("[2001:db8::1]", false), ("[3fff::1]", false), ("[2::1]", true), ("[3f::1]", true), ("[4000::1]", true),
      ("[fd00::1]", true), ("[fe80::1]", true), ("[::ffff:192.0.2.1]", true),
    ]
  )
  func privateAddress(host: String, isPrivate: Bool) throws {
    #expect(try WebURL("https://\(host)/", .request).isPrivate == isPrivate)
  }

  @Test(
    "a header or a token that could inject another header is rejected, without its value in the error",
    arguments: [
      ("X", "a\r\nSECRET: b"), ("X", "SECRET\n"), ("X", "SECRET\u{0}"), ("X", "SECRET\u{1B}[0m"), ("X\r\nY", "SECRET"),
      ("", "SECRET"), ("X Y", "SECRET"), ("X:", "SECRET"), ("\u{DC}", "SECRET"), (nil, "a\r\nSECRET: y"),
      (nil, "SECRET\nb"), (nil, "SECRET b"), (nil, ""), (nil, "\u{0}"),
    ] as [(String?, String)]
  )
  func injection(name: String?, value: String) async throws {
    let server = try ScriptedServer { $0.respond() }
    var request = HTTPRequest(.get, server.url, headers: name.map { [($0, value)] } ?? [])
    if name == nil { request.authorization = ("Bearer", Secret(value)) }
    let error = try #require(await failure(transport(), request))
    #expect(error.reason == .urlRefused && !error.message.contains("SECRET"))
    #expect(server.connections == 0)
  }
}

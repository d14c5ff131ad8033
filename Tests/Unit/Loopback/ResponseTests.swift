import Testing

@testable import MSAuthLoopback

@Suite("responses")
struct ResponseTests {
  static let page = LoopbackResponse.page(html: "<p>é</p>", styleSource: "sha256-abc=")
  static let script = LoopbackResponse.content([0x3b], mediaType: "text/javascript")
  static let own = LoopbackResponse.content([], mediaType: "text/html", policy: "script-src 'self'")
  static let all = [page, .seeOther("/done"), .text(404, "Nothing."), .empty(404), script, own]

  private func text(_ response: LoopbackResponse) -> String { String(decoding: response.serialized(), as: UTF8.self) }

  @Test("a page's policy allows only its own style")
  func policy() {
    #expect(
      text(Self.page).header("Content-Security-Policy") == [
        "default-src 'none'; style-src 'sha256-abc='; img-src data:; base-uri 'none'; form-action 'none'; "
          + "frame-ancestors 'none'"
      ]
    )
    #expect(text(Self.page).header("Content-Type") == ["text/html; charset=utf-8"])
  }

  @Test("page files have their media type, and the given policy if any")
  func content() {
    #expect(text(Self.script).header("Content-Type") == ["text/javascript"])
    #expect(text(Self.script).header("Content-Security-Policy").first?.hasPrefix("default-src 'none'; base") == true)
    #expect(text(Self.own).header("Content-Security-Policy") == ["script-src 'self'"])
  }

  @Test("every response has the security headers, and no Server header", arguments: all.indices)
  func securityHeaders(_ index: Int) {
    let response = text(Self.all[index])
    for (name, value) in [
      ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
      ("X-Frame-Options", "DENY"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"), ("Connection", "close"),
    ] {
      #expect(response.header(name) == [value], "\(name)")
    }
    #expect(response.header("Content-Security-Policy").count == 1)
    #expect(response.header("Permissions-Policy").first?.contains("camera=()") == true)
    for name in ["Server", "Set-Cookie", "Access-Control-Allow-Origin", "Access-Control-Allow-Private-Network"] {
      #expect(response.header(name).isEmpty, "\(name)")
    }
  }

  @Test("the length is counted in bytes, also without a body")
  func length() {
    #expect(text(Self.page).header("Content-Length") == ["9"])
    let head = String(decoding: Self.page.serialized(bodyless: true), as: UTF8.self)
    #expect(head.header("Content-Length") == ["9"] && head.hasSuffix("\r\n\r\n"))
  }

  @Test(
    "a redirect goes to a local path or to /",
    arguments: [
      ("/done", "/done"), ("/a/b_c-1.html", "/a/b_c-1.html"), ("", "/"), ("done", "/"), ("//evil.example", "/"),
      ("https://evil.example/", "/"), ("/\\evil.example", "/"), ("/a\r\nSet-Cookie: x", "/"), ("/?code=1", "/"),
      ("/é", "/"), ("/%0d", "/"),
    ]
  )
  func seeOther(_ path: String, _ location: String) {
    let response = text(.seeOther(path))
    #expect(response.hasPrefix("HTTP/1.1 303 \r\n"))
    #expect(response.header("Location") == [location] && response.header("Set-Cookie").isEmpty)
  }
}

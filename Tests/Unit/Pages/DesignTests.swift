import Foundation
import MSAuthCore
import MSAuthCrypto
import Testing

@testable import MSAuthPages

@Suite("page design: logo, color and the user's template")
struct DesignTests {
  static let png: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 64, 0, 0, 0, 32,
  ]

  @Test(
    "a logo is detected by its content and embedded as an image",
    arguments: [
      png, Array("<svg/>".utf8), Array("<svg><script>alert(1)</script></svg>".utf8),
      Array("\u{FEFF}<?xml version='1.0'?>\n<!-- a > b -->\n<!DOCTYPE svg>\n<svg viewBox='0 0 1 1'></svg>".utf8),
    ]
  )
  func logo(_ bytes: [UInt8]) throws {
    let pages = OutcomePages(application: "Contoso", design: PageDesign(logo: try PageLogo(bytes)))
    let html = pages.page(.signIn(.signedIn(username: "a"))).html
    let uri = "data:image/\(bytes == Self.png ? "png" : "svg+xml");base64,\(Data(bytes).base64EncodedString())"
    #expect(html.contains("<header><img class=\"logo\" src=\"\(uri)\" alt=\"\"><bdi>Contoso</bdi></header>"))
    #expect(!html.contains("<script"))
  }

  @Test(
    "an invalid logo is rejected",
    arguments: [
      ([], "neither"), (Array("<html><svg/></html>".utf8), "neither"), (Array("<svgx/>".utf8), "neither"),
      (Array("<!-- <svg/>".utf8), "neither"), ([0x3C, 0x73, 0x76, 0x67, 0x3E, 0xFF], "neither"),
      (Array("GIF89a".utf8), "neither"), (Array("<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>".utf8), "neither"),
      (Array("<svg><!ENTITY a 'b'></svg>".utf8), "entities"), (Array(png.prefix(20)), "truncated"),
      (png.prefix(16) + [0, 1, 0, 0, 0, 0, 0, 1], "65536 by 1 pixels"),
      (png.prefix(16) + [0, 0, 0, 0, 0, 0, 0, 1], "0 by 1 pixels"),
      (png + [UInt8](repeating: 0, count: 64 << 10), "larger than 64 KiB"),
    ] as [([UInt8], String)]
  )
  func rejectedLogo(_ bytes: [UInt8], _ what: String) {
    let error = #expect(throws: Rejection.self) { try PageLogo(bytes) }
    #expect(error?.reason.contains(what) == true, "\(error?.reason ?? "")")
  }

  @Test("text on any accent color has a contrast of at least 4.5:1")
  func accentContrast() throws {
    for red in stride(from: 0, through: 255, by: 15) {
      for green in stride(from: 0, through: 255, by: 15) {
        for blue in stride(from: 0, through: 255, by: 15) {
          let color = try #require(AccentColor(String(format: "#%02x%02X%02x", red, green, blue)))
          #expect(color.digits == String(format: "%02x%02x%02x", red, green, blue))
          #expect(contrast(color.inkDigits, color.digits) >= 4.5, "\(color.digits)")
        }
      }
    }
  }

  @Test(
    "a color is # and six hexadecimal digits",
    arguments: ["", "#", "fff", "#fff", "#12345g", "#1234567", "#１２３４５６", "red"]
  )
  func rejectedColor(_ string: String) { #expect(AccentColor(string) == nil) }

  @Test("an accent color is in the style, which the policy's hash covers, and in the tab's icon")
  func accent() throws {
    let pages = OutcomePages(application: "Contoso", design: PageDesign(accent: AccentColor("#FFCC00")))
    let page = pages.page(.signIn(.denied))
    #expect(try styleHash(of: page) == page.styleSource)
    #expect(page.html.contains(":root{--accent:#ffcc00;--on-accent:#000000}"))
    #expect(page.html.contains("fill='%23ffcc00'") && page.html.contains("stroke='%23000000'"))
  }

  static let template = """
    <!doctype html><title>{{title}}</title>
    <style>{{style}}</style>
    <p>{{lead}} {{name}} {{next}} {{message}} {{code}}
    """

  @Test("a template's text is raw, and values are escaped", arguments: ["\n", "\r\n", "\r"])
  func ownTemplate(_ lineBreak: String) throws {
    let template = try PageTemplate(
      document: Array(("\u{FEFF}" + Self.template).replacingOccurrences(of: "\n", with: lineBreak).utf8),
      style: Array("p {\n color: red }\n".replacingOccurrences(of: "\n", with: lineBreak).utf8)
    )
    let page = OutcomePages(application: nil, design: PageDesign(template: template))
      .page(.signIn(.signedIn(username: "<script>{{style}}")))
    #expect(page.html.hasPrefix("<!doctype html><title>You’re all set</title>\n<style>p {\n color: red }</style>"))
    #expect(page.html.contains("&lt;script&gt;{{style}}"))
    #expect(try styleHash(of: page) == page.styleSource)
  }

  @Test("a template may replace only one of the files")
  func half() throws {
    #expect(try PageTemplate(document: nil, style: nil) == .builtIn)
    let styled = try PageTemplate(document: nil, style: Array("p{}".utf8))
    #expect(styled.document == PageTemplate.builtIn.document && styled.style == "p{}")
    #expect(try PageTemplate(document: Array(Self.template.utf8), style: nil).style == PageTemplate.builtIn.style)
  }

  @Test("the built-in template passes the checks")
  func builtIn() throws {
    let builtIn = PageTemplate.builtIn
    #expect(try PageTemplate(document: Array(builtIn.document.utf8), style: Array(builtIn.style.utf8)) == builtIn)
  }

  @Test(
    "a broken page.html is rejected with its line",
    arguments: [
      ("{{style}}</style>", "{{style}}</style><p>{{titel}}", 2, "unknown placeholder {{titel}}, perhaps for {{title}}"),
      ("{{name}}", "{{name", 3, "{{ without }}"),
      ("{{name}}", "{{na\nme}}", 3, "{{ without }}"),
      ("{{name}}", "", nil, "lacks the placeholder {{name}}"),
      ("{{code}}", "{{style}}", 3, "second {{style}}"),
      ("<style>{{style}}</style>", "<p title=\"{{style}}\">", nil, "outside <style>"),
      ("{{name}}", "{{name}}\u{1B}", 3, "control character"),
      ("{{name}}", String(repeating: " ", count: 64 << 10), nil, "larger than 64 KiB"),
    ] as [(String, String, Int?, String)]
  )
  func brokenDocument(_ part: String, _ replacement: String, _ line: Int?, _ what: String) {
    let text = Self.template.replacingOccurrences(of: part, with: replacement)
    let error = #expect(throws: Rejection.self) {
      try PageTemplate(document: Array(text.utf8), style: nil)
    }
    let start = "page.html\(line.map { ", line \($0)," } ?? "") "
    #expect(error?.reason.hasPrefix(start) == true && error?.reason.contains(what) == true, "\(error?.reason ?? "")")
  }

  @Test(
    "a broken style.css is rejected with its line",
    arguments: [
      (Array("p{}\r\n\r\n</STYLE>".utf8), 3, "</style"), ([0x0A, 0xFF], 2, "isn't UTF-8"),
      ([0], 1, "control character"),
    ] as [([UInt8], Int, String)]
  )
  func brokenStyle(_ bytes: [UInt8], _ line: Int, _ what: String) {
    let error = #expect(throws: Rejection.self) { try PageTemplate(document: nil, style: bytes) }
    let reason = error?.reason ?? ""
    #expect(reason.hasPrefix("style.css, line \(line), ") && reason.contains(what), "\(reason)")
  }
}

import Foundation
import LibCrypto
import Testing

@testable import Pages

/// A page under a short name, for the page itself would fill the report.
struct Sample: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let page: Page

  init(_ name: String, _ page: Page) {
    testDescription = name
    self.page = page
  }
}

@Suite("Pages")
struct PageTests {
  static let hostile = "<script>alert(1)</script>\"'&{{style}}\u{1B}[31m\u{202E}"

  static let pages = OutcomePages(returningTo: "your terminal")

  static let all = [
    Sample("signed in", pages.signedIn(username: "alice@contoso.example")),
    Sample(
      "failed",
      pages.failed(what: "The provider refused the code.", hint: "Ask your administrator.", code: "AADSTS65")
    ),
    Sample("failed without hint", pages.failed(what: "The provider refused the code.")),
    Sample("denied", pages.denied()),
    Sample("signed out", pages.signedOut(username: "alice@contoso.example")),
    Sample("signed out without name", pages.signedOut(username: nil)),
    Sample("sign-out not confirmed", pages.signOutNotConfirmed()),
    Sample("already answered", pages.alreadyAnswered()),
  ]

  static let hostilePages = [
    Sample("hostile sign-in", pages.signedIn(username: hostile)),
    Sample("hostile sign-out", pages.signedOut(username: hostile)),
    Sample("hostile failure", pages.failed(what: hostile, hint: hostile, code: hostile)),
  ]

  @Test("every placeholder is filled", arguments: all)
  func filled(_ sample: Sample) {
    let page = sample.page
    #expect(!page.html.contains("{{"))
    #expect(!page.html.contains("}}"))
  }

  @Test("the policy's hash is that of the style in the page", arguments: all + hostilePages)
  func styleHash(_ sample: Sample) throws {
    let page = sample.page
    let open = try #require(page.html.firstRange(of: "<style>"))
    let close = try #require(page.html.firstRange(of: "</style>"))
    let style = Array(page.html[open.upperBound..<close.lowerBound].utf8)
    #expect(page.styleSource == "sha256-" + Data(Digest.sha256.hash(style)).base64EncodedString())
    #expect(page.html.ranges(of: "<style").count == 1)
    #expect(!page.html.contains("style="))
  }

  @Test("a page is no larger than 4 KB", arguments: all)
  func size(_ sample: Sample) {
    let page = sample.page
    #expect(page.html.utf8.count <= 4096)
  }

  @Test("no script, no form, no outside resource", arguments: all + hostilePages)
  func inert(_ sample: Sample) {
    let page = sample.page
    for forbidden in ["<script", "<form", "<iframe", "<img", "http:", "https:", "url(", "@import", "javascript:"] {
      #expect(!page.html.contains(forbidden), "\(forbidden)")
    }
    #expect(page.html.ranges(of: "<link").count == 1)
    #expect(page.html.contains("<link rel=\"icon\" href=\"data:,\">"))
  }

  @Test("a script in an error description is text", arguments: hostilePages)
  func escaped(_ sample: Sample) {
    let page = sample.page
    #expect(page.html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;{{style}}"))
    #expect(!page.html.contains("\u{1B}"))
    #expect(!page.html.contains("\u{202E}"))
  }

  @Test("outside text cannot grow without bound")
  func bounded() {
    let flood = String(repeating: "&", count: 100_000)
    #expect(Self.pages.failed(what: flood, hint: flood, code: flood).html.utf8.count < 12_000)
  }

  @Test("language, title, landmarks, one heading and a status", arguments: all)
  func accessible(_ sample: Sample) {
    let page = sample.page
    for needed in ["<html lang=\"en\">", "<main ", "<header>", "<footer>", "role=\"status\"", "name=\"viewport\""] {
      #expect(page.html.contains(needed), "\(needed)")
    }
    #expect(page.html.ranges(of: "<h1>").count == 1)
    #expect(page.html.contains("prefers-color-scheme: dark"))
  }

  @Test("every page tells what to do next, and to keep it private", arguments: all)
  func guidance(_ sample: Sample) {
    let page = sample.page
    #expect(page.html.contains("close this tab") || page.html.contains("To be sure"))
    #expect(page.html.contains("do not share it, its address or a screenshot"))
  }

  @Test("the person is sent back to where the application says")
  func wayBack() {
    let pages = OutcomePages(returningTo: "Contoso <Mail>")
    for page in [pages.signedIn(username: "a"), pages.denied(), pages.failed(what: "No."), pages.alreadyAnswered()] {
      #expect(page.html.contains("Contoso &lt;Mail&gt;"))
    }
  }

  @Test("who is signed in is said")
  func name() {
    #expect(Self.pages.signedIn(username: "alice@contoso.example").html.contains("<bdi>alice@contoso.example</bdi>"))
  }

  @Test("text is contrasted 7:1 or more in light and dark")
  func contrast() throws {
    let style = Template.string(PackageResources.style_css)
    let schemes = style.split(separator: "@media (prefers-color-scheme: dark)")
    try #require(schemes.count == 2)
    for scheme in schemes {
      let pairs = [
        ("ink", "page"), ("soft", "page"), ("ink", "card"), ("soft", "card"), ("success", "success-background"),
        ("failure", "failure-background"),
        ("notice", "notice-background"),
      ]
      for (text, ground) in pairs {
        let front = try luminance(of: text, in: String(scheme))
        let back = try luminance(of: ground, in: String(scheme))
        let ratio = (max(front, back) + 0.05) / (min(front, back) + 0.05)
        #expect(ratio >= 7, "\(text) on \(ground): \(ratio)")
      }
    }
  }

  /// The relative luminance of a custom property's colour (WCAG 2.2).
  private func luminance(of name: String, in scheme: String) throws -> Double {
    let start = try #require(scheme.firstRange(of: "--\(name): #")).upperBound
    var digits = String(scheme[start...].prefix { $0.isHexDigit })
    if digits.count == 3 { digits = digits.map { "\($0)\($0)" }.joined() }
    let colour = try #require(UInt32(digits, radix: 16))
    let channels = [16, 8, 0].map { shift -> Double in
      let value = Double(colour >> UInt32(shift) & 0xFF) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
  }
}

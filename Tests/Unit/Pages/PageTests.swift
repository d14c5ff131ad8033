import Foundation
import MSAuthCore
import MSAuthCrypto
import Testing

@testable import MSAuthPages

/// A page with a short name for reports.
struct Sample: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let page: Page

  init(_ name: String, _ page: Page) {
    testDescription = name
    self.page = page
  }
}

/// The hash of a page's style, as its policy names it.
func styleHash(of page: Page) throws -> String {
  let open = try #require(page.html.firstRange(of: "<style>"))
  let close = try #require(page.html.firstRange(of: "</style>"))
  let style = Array(page.html[open.upperBound..<close.lowerBound].utf8)
  return "sha256-" + Data(Digest.sha256.hash(style)).base64EncodedString()
}

/// The contrast of two colors of six hexadecimal digits (WCAG 2.2).
func contrast(_ first: String, _ second: String) -> Double {
  let luminances = [first, second].map { digits -> Double in
    let color = UInt32(digits, radix: 16) ?? 0
    let channels = [16, 8, 0].map { shift -> Double in
      let value = Double(color >> UInt32(shift) & 0xFF) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
  }
  return (max(luminances[0], luminances[1]) + 0.05) / (min(luminances[0], luminances[1]) + 0.05)
}

@Suite("Pages")
struct PageTests {
  static let hostile = "<script>alert(1)</script>\"'&{{style}}\u{1B}[31m\u{202E}"

  static let pages = OutcomePages(application: nil)

  private static let alice = "alice@contoso.example"

  private static let failure = PageOutcome.signIn(
    .failed(
      message: "The provider rejected the code.",
      hint: "Ask your administrator.",
      code: "AADSTS65",
      time: "2026-01-02 03:04:05 UTC",
      correlationID: "d2cbd8c8",
      traceID: "b0a7"
    )
  )

  static let outcomes: [(name: String, outcome: PageOutcome)] = [
    ("signed in", .signIn(.signedIn(username: alice))),
    ("fewer permissions", .signIn(.signedIn(username: alice, missingScopes: ["Mail.Read", "User.Read"]))),
    ("failed", failure), ("failed without hint", failed("The provider rejected the code.", hint: nil)),
    ("denied", .signIn(.denied)), ("signed out", .signedOut(username: alice)),
    ("signed out without name", .signedOut(username: nil)), ("sign-out not confirmed", .signOutNotConfirmed),
    ("already answered", .alreadyUsed), ("another sign-in", .rejected(.otherSignIn)),
    ("another user", .rejected(.otherUser)), ("nothing here", .rejected(.nothingHere)),
    ("not understood", .rejected(.notUnderstood)), ("busy", .rejected(.busy)), ("interrupted", .rejected(.interrupted)),
  ]

  static let languages = ["en", "de", "nl", "fr", "es", "pt-BR", "pl", "zh-Hant"]

  static let all = outcomes.map { Sample($0.name, pages.page($0.outcome)) }

  static let hostilePages = [
    Sample("hostile sign-in", pages.page(.signIn(.signedIn(username: hostile)))),
    Sample("hostile scope", pages.page(.signIn(.signedIn(username: "a", missingScopes: [hostile])))),
    Sample("hostile sign-out", pages.page(.signedOut(username: hostile))),
    Sample("hostile application", OutcomePages(application: hostile).page(.signIn(.denied))),
    Sample("hostile failure", pages.page(failed(hostile, hint: hostile))),
  ]

  /// A failure with the same text in every detail.
  private static func failed(_ text: String, hint: String?) -> PageOutcome {
    .signIn(.failed(message: text, hint: hint, code: text, time: text, correlationID: text, traceID: nil))
  }

  @Test("a resource's session is named by its URL, and doesn't return to a terminal")
  func resource() {
    let page = Self.pages.page(.signIn(.signedIn(username: "https://mcp.example.com/mcp")))
    #expect(page.html.contains("Signed in to") && !page.html.contains("terminal"))
  }

  @Test("a page is complete, accessible, no larger than 5 KB, and states the next step", arguments: all)
  func complete(_ sample: Sample) {
    let html = sample.page.html
    #expect(!html.contains("{{") && !html.contains("}}"))
    for needed in [
      "<html lang=\"en\">", "<main ", "<header>", "role=\"status\"", "name=\"viewport\"",
      "prefers-color-scheme: dark",
    ] {
      #expect(html.contains(needed), "\(needed)")
    }
    #expect(html.ranges(of: "<h1>").count == 1)
    #expect(html.utf8.count <= 5 * 1024)
    #expect(["close this tab", "To be sure", "Reload the page"].contains { html.contains($0) })
  }

  @Test("the policy's hash matches the page's style", arguments: all + hostilePages)
  func policyHash(_ sample: Sample) throws {
    let page = sample.page
    #expect(page.styleSource == (try styleHash(of: page)))
    #expect(page.html.ranges(of: "<style").count == 1 && !page.html.contains("style="))
  }

  @Test("no scripts, no forms, no external resources", arguments: all + hostilePages)
  func inert(_ sample: Sample) {
    let page = sample.page
    for forbidden in ["<script", "<form", "<iframe", "<img", "http:", "https:", "url(", "@import", "javascript:"] {
      #expect(!page.html.contains(forbidden), "\(forbidden)")
    }
    #expect(page.html.ranges(of: "<link").count == 1)
    #expect(page.html.contains("<link rel=\"icon\" href=\"data:image/svg+xml,"))
  }

  @Test("a script in an outside value is escaped", arguments: hostilePages)
  func escaped(_ sample: Sample) {
    let page = sample.page
    #expect(page.html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;{{style}}"))
    #expect(!page.html.contains("\u{1B}") && !page.html.contains("\u{202E}"))
  }

  @Test("outside text is truncated")
  func bounded() {
    let flood = String(repeating: "&", count: 100_000)
    #expect(Self.pages.page(Self.failed(flood, hint: flood)).html.utf8.count < 20_000)
  }

  @Test("only a page that ends the flow can't be reloaded", arguments: outcomes)
  func reload(_ name: String, _ outcome: PageOutcome) {
    let reloadable = ["already answered", "another sign-in", "another user", "nothing here", "not understood", "busy"]
    #expect(Self.pages.page(outcome).html.contains("can’t be reloaded.</p>") != reloadable.contains(name))
  }

  @Test("every language names the application to return to", arguments: languages)
  func wayBack(_ language: String) {
    let pages = OutcomePages(application: "Contoso <Mail>")
    for outcome in [
      .signIn(.signedIn(username: "a")), .signIn(.denied), Self.failed("No.", hint: nil), .alreadyUsed,
    ] {
      let html = pages.page(outcome, acceptLanguage: language).html
      #expect(html.contains("Contoso &lt;Mail&gt;</bdi></header>"))
      #expect(html.ranges(of: "Contoso &lt;Mail&gt;").count == 3, "title, header and what to do next")
      #expect(!html.contains("{application}"))
    }
  }

  @Test("an error's details are shown; in other languages, its message is marked as English")
  func support() {
    let english = Self.pages.page(Self.failure).html
    #expect(english.contains("<p>The provider rejected the code. <b>"))
    let german = Self.pages.page(Self.failure, acceptLanguage: "de").html
    #expect(german.contains("<p lang=\"en\">The provider rejected the code. Ask your administrator.</p>"))
    for html in [english, german] {
      let details = ["Error: AADSTS65", "Time: 2026-01-02 03:04:05 UTC", "Correlation ID: d2cbd8c8", "Trace ID: b0a7"]
      for detail in details { #expect(html.contains(">\(detail)</p>")) }
    }
  }

  @Test(
    "the first of the browser's languages that the pages have, by weight (RFC 9110 §12.5.4); English otherwise",
    arguments: [
      (nil, "en"), ("", "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("DE", "de"), ("deu", "en"),
      ("it,fr;q=0.5,nl;q=0.7", "nl"), ("fr;q=0,pl;q=0.1", "pl"), ("pt-PT", "pt-BR"), ("zh-TW", "zh-Hant"),
      ("zh-Hant-HK", "zh-Hant"), ("zh-CN,es;q=0.5", "es"), ("zh", "en"), ("es;q=x,de;q=0.1", "de"),
      ("es;q=1e400,de;q=0.1", "de"), ("en;q=0.5 , fr ; q=0.9", "fr"), ("*", "en"), ("<script>", "en"),
      (String(repeating: "de,", count: 10_000), "en"),
    ] as [(String?, String)]
  )
  func language(_ field: String?, _ expected: String) {
    let html = Self.pages.page(.signIn(.denied), acceptLanguage: field).html
    #expect(html.contains("<html lang=\"\(expected)\">"))
  }

  @Test("every language has the same keys, and a text for each")
  func keys() throws {
    let file = try JSONSerialization.jsonObject(with: Data(PackageResources.texts_json))
    let languages = try #require(file as? [[String: Any]])
    #expect(languages.map { $0["tag"] as? String } == Self.languages)
    for language in languages {
      #expect(Set(language.keys) == Set(languages[0].keys), "\(language["tag"] ?? "")")
      for (key, value) in language where !["ranges", "sentenceSeparator"].contains(key) {
        let text = try #require(value as? String)
        #expect(!text.isEmpty, "\(key)")
        let namesApplication = ["returnToApplication", "tryAgainInApplication"].contains(key)
        #expect(text.contains("{") == namesApplication && text.contains("{application}") == namesApplication, "\(text)")
      }
    }
  }

  @Test("every outcome is translated", arguments: languages.dropFirst())
  func translated(_ language: String) throws {
    for (name, outcome) in Self.outcomes {
      let html = Self.pages.page(outcome, acceptLanguage: language).html
      #expect(html.contains("<html lang=\"\(language)\">"))
      let text = html[try #require(html.firstRange(of: "<h1>")).lowerBound...]
      for word in [" the ", " This ", "You", " your ", " was "] where !["failed", "failed without hint"].contains(name)
      {
        #expect(!text.contains(word), "\(name)")
      }
    }
  }

  @Test("text has a contrast of at least 7:1 in light and dark")
  func textContrast() throws {
    let style = PageTemplate.string(PackageResources.style_css)
    let schemes = style.split(separator: "@media (prefers-color-scheme: dark)")
    try #require(schemes.count == 2)
    for scheme in schemes {
      let pairs = [
        ("ink", "page"), ("soft", "page"), ("ink", "card"), ("soft", "card"), ("success", "success-background"),
        ("failure", "failure-background"), ("notice", "notice-background"),
      ]
      for (text, ground) in pairs {
        let ratio = contrast(try color(text, in: scheme), try color(ground, in: scheme))
        #expect(ratio >= 7, "\(text) on \(ground): \(ratio)")
      }
    }
  }

  /// The six digits of a custom property's color.
  private func color(_ name: String, in scheme: Substring) throws -> String {
    let start = try #require(scheme.firstRange(of: "--\(name): #")).upperBound
    let digits = String(scheme[start...].prefix { $0.isHexDigit })
    return digits.count == 3 ? digits.map { "\($0)\($0)" }.joined() : digits
  }
}

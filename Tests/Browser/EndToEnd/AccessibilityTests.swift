import MSAuthCore
import MSAuthPages
import TestSupport
import Testing

extension InChromium {
  @Suite("accessibility: axe-core finds nothing, and no page overflows")
  struct AccessibilityTests {
    private static let failure = PageOutcome.signIn(
      .failed(
        message: "The provider rejected the code: AADSTS65001: The user or administrator has not consented.",
        hint: "Ask an administrator to consent for the organization, then sign in again.",
        code: "invalid_grant AADSTS65001",
        time: "2026-01-02 03:04:05 UTC",
        correlationID: "6f2c0a4e-58a7-4b0a-9a39-0d8b3a2c6f11",
        traceID: "86751397-8ab4-4a13-81e4-b58e220020ad"
      )
    )

    private static let outcomes: [(name: String, outcome: PageOutcome)] = [
      ("signed-in", .signIn(.signedIn(username: "ada@contoso.example"))),
      ("right-to-left", .signIn(.signedIn(username: "\u{5E2}\u{5D3}\u{5D4}.\u{5DC}\u{5D1}@contoso.example (1)"))),
      (
        "fewer-permissions",
        .signIn(
          .signedIn(
            username: "a.very.long.name.of.somebody.who.works.here@department.of.everything.contoso.example",
            missingScopes: ["https://graph.microsoft.com/Mail.ReadWrite.Shared", "User.Read"]
          )
        )
      ),
      ("failed", failure), ("denied", .signIn(.denied)), ("signed-out", .signedOut(username: "ada@contoso.example")),
      ("signed-out-nobody", .signedOut(username: nil)), ("sign-out-not-confirmed", .signOutNotConfirmed),
      ("already-answered", .alreadyUsed), ("other-sign-in", .rejected(.otherSignIn)),
      ("other-user", .rejected(.otherUser)), ("nothing-here", .rejected(.nothingHere)),
      ("not-understood", .rejected(.notUnderstood)), ("busy", .rejected(.busy)),
      ("interrupted", .rejected(.interrupted)),
    ]

    private static let logo =
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 120 40'>"
      + "<rect width='40' height='40' fill='#f25022'/><circle cx='90' cy='20' r='20' fill='#00a4ef'/></svg>"

    /// Visits the pages of an application, at `/LANGUAGE/OUTCOME`.
    private static func visit(
      _ pages: OutcomePages,
      _ body: (WebDriver, _ address: String) async throws -> Void
    ) async throws {
      let server = try ScriptedServer { request, _ in
        if request.path == "/frames" { return .page("Frames", "") }
        let parts = request.path.split(separator: "/")
        let outcome = Self.outcomes.first { parts.last.map(String.init) == $0.name }?.outcome ?? .rejected(.nothingHere)
        let page = pages.page(outcome, acceptLanguage: parts.first.map(String.init))
        return ScriptedServer.Response(
          200,
          page.html,
          headers: [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": "default-src 'none'; style-src '\(page.styleSource)'; img-src data:",
          ]
        )
      }
      let home = try Home()
      let browser = try await DesktopBrowser(for: home)
      let opener = try ChildProcess(
        ["/usr/bin/xdg-open", "\(server.url)/en/denied"],
        environment: home.environment.merging(browser.environment) { $1 }
      )
      defer { opener.killGroup() }
      try await body(browser.attach(), server.url)
    }

    @Test("msauth's pages, in both schemes, on a desktop and on a phone")
    func outcomes() async throws {
      try await Self.visit(OutcomePages(application: nil)) { driver, address in
        for (name, _) in Self.outcomes {
          try await driver.open("\(address)/en/\(name)")
          try await driver.expectNoBarriers("page-\(name)")
        }
      }
    }

    @Test("every page in every language, with an application's name, logo and accent color")
    func languages() async throws {
      let design = PageDesign(logo: try PageLogo(Array(Self.logo.utf8)), accent: AccentColor("#ffcc00"))
      try await Self.visit(OutcomePages(application: "Contoso Timesheets", design: design)) { driver, address in
        let languages = ["de", "nl", "fr", "es", "pt-BR", "pl", "zh-Hant"]
        for (number, language) in languages.enumerated() {
          // Words affect the width; other properties are checked twice per language.
          let frames = Self.outcomes.enumerated().map { index, outcome -> JSONValue in
            [.string("/\(language)/\(outcome.name)"), (index + number).isMultiple(of: 2) ? 375 : 1280]
          }
          try await driver.open("\(address)/frames")
          #expect(try await driver.run(Self.flawsOfFrames(frames)) == [])
          for (index, (name, _)) in Self.outcomes.enumerated() where index % languages.count == number {
            try await driver.open("\(address)/\(language)/\(name)")
            let screen = EmulatedScreen.all[(index + number) % EmulatedScreen.all.count]
            try await driver.expectNoBarriers("page-\(language)-\(name)", on: [screen])
          }
        }
      }
    }

    /// A script that returns the addresses of pages that overflow a width or lack the logo.
    private static func flawsOfFrames(_ frames: [JSONValue]) -> String {
      """
      return Promise.all(\(JSONValue.array(frames).serializedString()).map(([address, width]) => new Promise((done) => {
        const frame = document.createElement('iframe');
        Object.assign(frame, { src: address, width, height: 812, frameBorder: 0 });
        frame.onload = () => {
          const page = frame.contentDocument;
          const isWider = page.documentElement.scrollWidth > width;
          done(isWider || !(page.querySelector('.logo')?.naturalWidth > 0) ? [address] : []);
        };
        document.body.append(frame);
      }))).then((all) => all.flat());
      """
    }
  }
}

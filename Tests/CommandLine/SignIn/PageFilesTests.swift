import TestSupport
import Testing

@Suite("logo, color and templates of the pages", .limitedConcurrency)
struct PageFilesTests {
  private static let ownPage = """
    <!doctype html><title>{{title}}</title>
    <style>{{style}}</style>
    <p>Contoso's own page. {{lead}} {{name}} {{next}} {{message}} {{code}}
    """

  /// Signs in with these files in the configuration's directory.
  private static func login(
    _ files: [String: String],
    prepare: (Home) throws -> Void = { _ in }
  ) async throws -> (page: String, stderr: String) {
    let fixture = try await ProviderMockFixture()
    for (name, text) in files { try fixture.home.write(text, to: "config/msauth/\(name)") }
    try prepare(fixture.home)
    let login = try await fixture.startLogin()
    let page = try await fixture.provider.signIn(at: login.url).page
    let outcome = try await fixture.runner.outcome(of: login.child).expect(0, stdout: ProviderMock.username + "\n")
    #expect(page.status == 200 && page.body.contains(ProviderMock.username), "\(page)")
    return (page.body, outcome.stderr)
  }

  @Test("the page shows the configured logo, relative to the file, and the color")
  func appearance() async throws {
    let (page, stderr) = try await Self.login([
      "config.json": ##"{"appearance": {"logo": "logo.svg", "accent_color": "#ffcc00"}}"##, "logo.svg": "<svg/>",
    ])
    #expect(page.contains("src=\"data:image/svg+xml;base64,PHN2Zy8+\""), "\(page)")
    #expect(page.contains("--accent:#ffcc00") && !stderr.contains("logo"), "\(stderr)")
  }

  @Test("an unusable logo is a warning, and the sign-in continues", arguments: ["GIF89a", nil] as [String?])
  func brokenLogo(_ logo: String?) async throws {
    var files = ["config.json": #"{"appearance": {"logo": "logo.svg"}}"#]
    files["logo.svg"] = logo
    let (page, stderr) = try await Self.login(files)
    #expect(!page.contains("<img"))
    let lines = stderr.split(separator: "\n").filter { $0.contains("logo.svg") }
    #expect(lines.count == 1 && lines[0].contains("the pages have no logo"), "\(stderr)")

    let runner = try CommandRunner()
    for (name, text) in files { try runner.home.write(text, to: "config/msauth/\(name)") }
    let doctor = try await runner.run("doctor", "--client-id", "c", "--authority", "http://127.0.0.1:1")
    let warning = try #require(doctor.stdout.split(separator: "\n").first { $0.hasPrefix("warning pages") })
    #expect(warning.contains("logo.svg") && warning.contains("the pages have no logo"), "\(doctor)")
  }

  @Test("the user's template overrides the system's, which overrides the built-in one")
  func systemTemplate() async throws {
    var fixture = try await ProviderMockFixture()
    let home = fixture.home
    try home.write(Self.ownPage, to: "etc/msauth/templates/page.html", mode: 0o644)
    fixture.runner.prefix = try await MountNamespace.replacing("/etc", with: home.path("etc"))
    for owner in ["Contoso", "Ada"] {
      if owner == "Ada" {
        try home.write(Self.ownPage.replacing("Contoso", with: owner), to: "config/msauth/templates/page.html")
      }
      let login = try await fixture.startLogin()
      let page = try await fixture.provider.signIn(at: login.url).page
      let outcome = try await fixture.runner.outcome(of: login.child).expect(0)
      #expect(page.body.contains("\(owner)'s own page."), "\(page) \(outcome)")
      #expect(!outcome.stderr.contains("templates"), "\(outcome)")
    }
  }

  @Test(
    "a broken template is a warning with file and line, and the built-in page is shown",
    arguments: [
      ("page.html", ownPage + "\n{{user}}", "page.html, line 4, has an unknown placeholder {{user}}"),
      ("style.css", String(repeating: "p{}\n", count: 20_000), "style.css is larger than 64 KiB"),
    ]
  )
  func brokenTemplate(_ file: String, _ text: String, _ what: String) async throws {
    let (page, stderr) = try await Self.login(["templates/\(file)": text])
    #expect(page.contains("<main class=\"success\">"), "\(page)")
    let lines = stderr.split(separator: "\n").filter { $0.contains("templates/") }
    #expect(lines.count == 1 && lines[0].contains(what) && lines[0].contains("built-in page"), "\(stderr)")
  }

  @Test(
    "a template that other users can write is ignored, by its own or its directory's permissions",
    arguments: [("templates/page.html", 0o666), ("templates", 0o777)] as [(String, mode_t)]
  )
  func writableByOthers(_ path: String, _ mode: mode_t) async throws {
    let (page, stderr) = try await Self.login(["templates/page.html": Self.ownPage]) { home in
      chmod(home.path("config/msauth/\(path)"), mode)
    }
    #expect(!page.contains("Contoso's own page."), "\(page)")
    #expect(stderr.contains("can be written by others") && stderr.contains("chmod"), "\(stderr)")
  }
}

import TestSupport
import Testing

extension InChromium {
  @Suite("the configured browser profile")
  struct BrowserProfileTests {
    @Test("msauth config browser lists Chromium's profiles, and the sign-in opens only in the chosen one")
    func profile() async throws {
      let fixture = try await BrowserFixture()
      let home = fixture.home
      // The desktop's browser, under a name and directory that msauth knows.
      let launcher = try home.script(#"exec \#(home.path("data/test-chromium")) "$@""#, to: "bin/chromium")
      try home.installBrowser(
        "test-chromium",
        name: "Chromium of one test",
        command: #""\#(launcher)" "--user-data-dir=\#(home.path("chromium"))" %U"#
      )
      try home.write(
        #"{"profile": {"info_cache": {"Default": {"name": "Home"}, "Profile 1": {"name": "Work"}}}}"#,
        to: "chromium/Local State"
      )
      let chosen = try await fixture.runner.run("config", "browser", "test-chromium: work")
      #expect(chosen.code == 0 && chosen.stdout == "Chromium of one test: Work\n", "\(chosen)")

      _ = try await fixture.signInAda()
      // Chromium writes a profile's cookies while it runs.
      func has(_ file: String) -> Bool { FileManager.default.fileExists(atPath: home.path("chromium/\(file)")) }
      _ = try await eventually("the profile's own files") { has("Profile 1/History") ? true : nil }
      #expect(!has("Default/History"))
    }
  }
}

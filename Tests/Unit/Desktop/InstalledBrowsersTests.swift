import TestSupport
import Testing

@testable import MSAuthDesktop

@Suite("installed browsers and their profiles")
struct InstalledBrowsersTests {
  let home: Home

  init() throws {
    home = try Home()
    for program in ["chromium", "firefox", "flatpak", "other"] {
      try home.write("#!/bin/sh\n", to: "bin/\(program)", mode: 0o755)
    }
  }

  /// A system with only the home's files.
  private var environment: [String: String] {
    home.environment.merging([
      "PATH": home.path("bin"), "XDG_DATA_DIRS": home.path("system"), "XDG_CONFIG_DIRS": home.path("etc"),
      "XDG_CURRENT_DESKTOP": "Test:GNOME",
    ]) { $1 }
  }

  private func write(_ id: String, _ exec: String, in directory: String = "system", more: String = "") throws {
    try home.write(
      """
      # A comment.
      [Desktop Action new]
      Exec=nothing
      [Desktop Entry]
      Type=Application
      Name=\(id.prefix(1).uppercased() + id.dropFirst())
      Name[de]=Netz
      Exec=\(exec)
      MimeType=text/html;x-scheme-handler/https;
      \(more)

      """,
      to: "\(directory)/applications/\(id).desktop"
    )
  }

  private func found() async -> InstalledBrowsers { await .find(environment: environment) }

  @Test("an entry is a browser if it opens https, is visible and installed; the user's overrides the system's")
  func entries() async throws {
    try write("chromium", "chromium --flag %U")
    try write("hidden", "other %u", more: "Hidden=true")
    try write("missing", "nowhere %u")
    try write("tried", "other %u", more: "TryExec=nowhere")
    try write("shadowed", "chromium %u")
    try write("shadowed", "other %u", in: "data", more: "Hidden=true")
    try write("sub/other", "other")
    try home.write(
      "[Desktop Entry]\nType=Application\nName=Text\nExec=other %f\nMimeType=text/plain;\n",
      to: "system/applications/text.desktop"
    )
    let browsers = await found()
    #expect(browsers.choices.map(\.id) == ["chromium", "sub-other"], "\(browsers)")
    #expect(browsers.choices.map(\.command) == ["chromium --flag %s", "other %s"])
  }

  @Test(
    "the default is the first installed one in the file with the highest priority",
    arguments: [
      (["config/test-mimeapps.list": "chromium", "config/mimeapps.list": "other"], "chromium"),
      (["config/mimeapps.list": "gone.desktop;other", "etc/mimeapps.list": "chromium"], "other"),
      (["config/mimeapps.list": "gone", "system/applications/gnome-mimeapps.list": "chromium"], "chromium"),
      ([:], nil),
    ] as [([String: String], String?)]
  )
  func defaultBrowser(files: [String: String], id: String?) async throws {
    try write("chromium", "chromium %U")
    try write("other", "other %U")
    for (file, name) in files {
      try home.write("[Default Applications]\nx-scheme-handler/https=\(name).desktop;\n", to: file)
    }
    let browsers = await found()
    #expect(browsers.choices.first(where: \.isDefault)?.id == id, "\(browsers)")
    #expect(browsers.defaultName?.lowercased() == id)
  }

  @Test("Chromium's profiles are listed in Local State; the command names the directory")
  func chromium() async throws {
    try write("chromium", "chromium %U")
    try home.write(
      #"""
      {"profile": {"info_cache": {
        "Default": {"name": "Home"}, "Profile 1": {"name": "W'ork 100%s"}, "Profile 2": {"name": "Home"},
        "../evil": {"name": "evil"}, "a\nb": {"name": "evil"}
      }}}
      """#,
      to: "config/chromium/Local State"
    )
    let browsers = await found()
    let expected = [
      ("Chromium", "chromium %s"), ("Chromium: Home (Default)", "chromium --profile-directory=Default %s"),
      ("Chromium: W'ork 100%s", "chromium '--profile-directory=Profile 1' %s"),
      ("Chromium: Home (Profile 2)", "chromium '--profile-directory=Profile 2' %s"),
    ]
    #expect(browsers.choices.map { [$0.name, $0.command] } == expected.map { [$0.0, $0.1] })
    #expect(browsers.notes.count == 2 && browsers.notes.allSatisfy { $0.contains("Local State") }, "\(browsers.notes)")
  }

  @Test("a Flatpak's profiles are in its own directory, and its markers stay around the address")
  func flatpak() async throws {
    let exec = "flatpak run --file-forwarding org.chromium.Chromium @@u %U @@"
    try write("org.chromium.Chromium", exec, in: "data/flatpak/exports/share")
    try home.write(
      #"{"profile": {"info_cache": {"Default": {"name": "a"}, "Profile 1": {"name": "b"}}}}"#,
      to: "home/.var/app/org.chromium.Chromium/config/chromium/Local State"
    )
    let command = await found().choices.last?.command
    let expected = "flatpak run --file-forwarding org.chromium.Chromium '--profile-directory=Profile 1' @@u %s @@"
    #expect(command == expected)
  }

  @Test("an entry's user data directory is used for its profiles")
  func userDataDirectory() async throws {
    let folder = home.path("my %%\u{301} data")
    try write("own", "env A=b \"\(home.path("bin/chromium"))\" \"--user-data-dir=\(folder)\" %U")
    try home.write("#!/bin/sh\n", to: "bin/env", mode: 0o755)
    try home.write(
      #"{"profile": {"info_cache": {"Default": {}, "Profile %\#u{301}": {"name": "b"}}}}"#,
      to: "my %\u{301} data/Local State"
    )
    let browsers = await found()
    #expect(browsers.choices.map(\.name) == ["Own", "Own: Default", "Own: b"])
    let command = try #require(BrowserCommand(browsers.choices[2].command))
    let options = ["--user-data-dir=\(folder)", "--profile-directory=Profile %%\u{301}", "%s"]
    #expect(command.arguments == ["A=b", home.path("bin/chromium")] + options)
  }

  @Test("Firefox's profiles are listed in profiles.ini; an invalid group is reported")
  func firefox() async throws {
    try write("firefox", "firefox %u")
    try home.write(
      "[Profile0]\nName=home\nIsRelative=1\nPath=a\nDefault=1\n[Profile1]\nName=work\nIsRelative=0\nPath=/w\n"
        + "[Install4F]\nDefault=a\n[Profile2]\nName=\n",
      to: "home/.mozilla/firefox/profiles.ini"
    )
    let browsers = await found()
    #expect(browsers.choices.map(\.name) == ["Firefox", "Firefox: home", "Firefox: work"])
    #expect(browsers.choices[2].command == "firefox -P work %s")
    #expect(browsers.notes.contains { $0.contains("profiles.ini") && $0.contains("Profile2") }, "\(browsers.notes)")
  }

  @Test(
    "a broken, huge or untrusted file is named and skipped, and the browser is kept",
    arguments: [("{", 0o600), (#"{"profile": {}}"#, 0o666), (String(repeating: " ", count: (16 << 20) + 1), 0o600)]
  )
  func broken(text: String, mode: Int) async throws {
    try write("chromium", "chromium %U")
    try home.write(text, to: "config/chromium/Local State", mode: mode)
    // A group other than the user's own.
    if geteuid() == 0 { chown(home.path("config/chromium/Local State"), 0, 12_002) }
    let browsers = await found()
    #expect(browsers.choices.map(\.name) == ["Chromium"])
    #expect(browsers.notes.count == 1 && browsers.notes[0].contains("Local State is skipped"), "\(browsers.notes)")
  }

  @Test(
    "a command's words round-trip",
    arguments: [
      [
        "/usr/bin/x", "plain", "two words", "it's", "\"quoted\"", "back\\slash", "", "$(x)", "a;b&c", "ä\u{301}", "%%s",
      ],
      ["/opt/My Browser/b", "'", "''", "\\'"],
    ]
  )
  func joined(words: [String]) throws {
    let command = try #require(BrowserCommand(BrowserCommand.joined(words)))
    #expect([command.program] + command.arguments == words)
  }

  @Test(
    "an Exec line is parsed by the Desktop Entry Specification",
    arguments: [
      (#"b %u"#, ["b", "%s"]), (#""/o p/b" --x="a b" %U"#, ["/o p/b", "--x=a b", "%s"]),
      (#"b "a\\"c" "\\$x" "\\\\" %i %c %k %%"#, ["b", "a\"c", "$x", "\\", "%%"]), (#"b a\sb"#, ["b", "a", "b"]),
      (#"b --x=%u%%s %f"#, ["b", "--x=%%s", "%s"]), ("b%%", ["b%"]), ("b \"open", nil), ("", nil), ("%u", nil),
      ("b\0c", nil), ("b%%\u{301} --x=%%\u{301}", ["b%\u{301}", "--x=%%\u{301}"]),
    ] as [(String, [String]?)]
  )
  func exec(line: String, words: [String]?) {
    let command = BrowserCommand(exec: line)
    #expect(command.map { [$0.program] + $0.arguments } == words)
  }
}

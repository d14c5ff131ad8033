import TestSupport
import Testing

@Suite("msauth config", .limitedConcurrency)
struct ConfigTests {
  private static let file = "config/msauth/config.json"
  private static let common = "https://login.microsoftonline.com/common"

  private let runner: CommandRunner
  private var home: Home { runner.home }

  init() throws { runner = try CommandRunner() }

  private func run(_ arguments: String...) async throws -> CommandRunner.Outcome {
    try await runner.run(["config"] + arguments)
  }

  private func shown(_ arguments: String..., environment: [String: String] = [:]) async throws -> [String: JSONValue] {
    let runner = CommandRunner(home: home, environment: environment)
    let outcome = try await runner.run(["config", "show", "--json"] + arguments).expect(0, stderr: "")
    #expect(try outcome.json["version"] == 1 && outcome.json["command"] == "config show")
    return Dictionary(
      uniqueKeysWithValues: (try outcome.json["settings"]?.array ?? []).map { ($0["key"]?.string ?? "", $0) }
    )
  }

  @Test("show prints the effective value of each setting with the line, variable or flag that set it")
  func show() async throws {
    let text = """
      {
        "client_id": "c", "client_secret": "pssst",
        "scopes": ["openid"],
        "profiles": {
          "work": {
            "timeout": 60
          }
        }
      }
      """
    let path = try home.write(text, to: Self.file)
    let settings = try await shown("--profile", "work", "--store", "file", environment: ["MSAUTH_TENANT": "t.example"])
    func source(_ key: String) -> [JSONValue?] { ["source", "name", "line", "file_key"].map { settings[key]?[$0] } }
    #expect(settings["client_id"]?["value"] == "c" && source("client_id") == ["file", nil, 2, "client_id"])
    #expect(settings["timeout"]?["value"] == 60 && source("timeout") == ["file", nil, 6, "profiles.work.timeout"])
    #expect(settings["tenant"]?["value"] == "t.example")
    #expect(source("tenant") == ["environment", "MSAUTH_TENANT", nil, nil])
    #expect(settings["store"]?["value"] == "file" && source("store") == ["flag", "--store", nil, nil])
    #expect(settings["dpop"]?["value"] == false && source("dpop") == ["default", nil, nil, nil])
    #expect(settings["scopes"]?["value"] == ["openid"])
    #expect(settings["client_secret"]?["secret"] == true && settings["client_secret"]?["value"] == nil)

    try await run("show", "--profile", "work").expect(0, output: "\(path):6\n", lacks: "pssst")
    let terminal = try await runner.runOnTerminal("config", "show", "--profile", "work")
    #expect(terminal.stdout.contains(/timeout +60 +line 6\s/), "\(terminal)")
    for (columns, authority) in [(60, "authority\r\n  \(Self.common) (default)"), (80, "  \(Self.common)  default")] {
      let narrow = try await runner.runOnTerminal("config", "show", columns: columns)
      let lines = narrow.stdout.split(whereSeparator: \.isNewline).filter { !$0.contains("config.json") }
      #expect(lines.allSatisfy { $0.count < columns } && narrow.stdout.contains(authority), "\(narrow)")
      #expect(narrow.stdout.contains(/client_id +c +line 2\s/), "\(narrow)")
    }
  }

  @Test("get prints a string as it is, a list as JSON, and no secret")
  func get() async throws {
    try home.write(#"{"client_id": "c", "client_secret": "pssst", "scopes": ["openid"]}"#, to: Self.file)
    for (arguments, value) in [
      (["client_id"], "c"), (["scopes"], #"["openid"]"#), (["store", "--store", "file"], "file"),
      (["issuer"], Self.common),
      (["issuer", "--issuer", "id.example/.well-known/openid-configuration"], "https://id.example"),
    ] {
      try await runner.run(["config", "get"] + arguments).expect(0, stdout: value + "\n", stderr: "")
    }
    for (key, words) in [("ca_file", "ca_file isn't set"), ("client_secret", "is a secret and isn't printed")] {
      try await run("get", key).expect(1, words, stdout: "")
    }
    let unset = try await run("get", "ca_file", "--json")
    #expect(try unset.code == 1 && unset.json["error"] != nil, "\(unset)")
    #expect(try unset.json["settings"]?.array?.first?["key"] == "ca_file", "\(unset)")
    #expect(try await run("get", "client_id", "--json").json["settings"]?.array?.first?["value"] == "c")
  }

  @Test("relative paths are resolved against the working directory, and a missing file is a mistake")
  func relativePaths() async throws {
    for (key, value) in [("ca_file", "ca.pem"), ("appearance", #"{"logo": "logo.svg"}"#)] {
      try await run("set", key, value).expect(0, ", which doesn't exist")
    }
    let missing = try await run("validate").expect(78)
    for name in ["ca.pem", "logo.svg"] {
      #expect(missing.stdout.contains("names \(home.path("home/\(name)")), which doesn't exist\n"), "\(missing)")
      try home.write("", to: "home/\(name)")
    }
    try await run("validate").expect(0)
    let file = try home.json(Self.file)
    #expect(file["ca_file"]?.string == home.path("home/ca.pem"))
    #expect(file["appearance"]?["logo"]?.string == home.path("home/logo.svg"))
  }

  @Test("show works without a client ID; without a file it shows the defaults")
  func showDefaults() async throws {
    let settings = try await shown()
    #expect(settings["store"]?["value"] == "auto" && settings["client_id"]?["value"] == nil)
    #expect(settings["authority"]?["value"]?.string == Self.common)
    #expect(settings.values.allSatisfy { $0["source"] == "default" })
  }

  @Test("a file that has only white space has no settings")
  func blank() async throws {
    try home.write(" \n", to: Self.file)
    try await run("show").expect(0)
    try await run("set", "timeout", "60").expect(0)
    #expect(try home.json(Self.file) == ["timeout": 60])
  }

  @Test("set and unset change one member and preserve the file's formatting")
  func set() async throws {
    let text = "{\n    \"client_id\":\"c\",   \"account_mode\": \"single\",\n    \"profiles\": {\"work\": {}}\n}\n"
    try home.write(text, to: Self.file)
    try await run("set", "scopes", "openid", "email").expect(0)
    try await run("set", "timeout", "60", "--profile", "work").expect(0)
    try await run("set", "account_mode", "MULTIPLE").expect(0)
    let expected = text.replacing("\"single\"", with: "\"MULTIPLE\"")
      .replacing("{}", with: "{\n      \"timeout\": 60\n    }")
      .replacing("}\n}\n", with: "},\n    \"scopes\": [\"openid\",\"email\"]\n}\n")
    #expect(home.read(Self.file) == expected)
    #expect(try home.mode(Self.file) == 0o600 && home.files(below: "config") == ["msauth/config.json"])

    try await run("unset", "scopes", "--config", "none.json").expect(0, "none.json doesn't exist; nothing was written")
    try await run("unset", "scopes").expect(0)
    try await run("unset", "timeout", "--profile", "work").expect(0)
    #expect(try home.json(Self.file)["profiles"] == ["work": [:]])
    #expect(try await run("unset", "scopes", "--json").expect(0, "nothing was written").json["written"] == false)
  }

  @Test("the first key creates the file, the first key of a profile creates the profile, and both are reported")
  func new() async throws {
    try await run("set", "store", "file", "--profile", "work").expect(0, "created the profile work", stdout: "")
    #expect(try home.json(Self.file) == ["profiles": ["work": ["store": "file"]]])
  }

  @Test("an invalid value is rejected by key and nothing is written, nor to a file that other users can write")
  func rejected() async throws {
    let text = #"{"client_id": "c"}"#
    try home.write(text, to: Self.file)
    try await run("set", "store", "cloud").expect(64, "one of auto", stdout: "")
    try await run("set", "store").expect(64, "store needs a value")
    chmod(home.path(Self.file), 0o666)
    try await run("set", "store", "file").expect(78, "can be written by others")
    #expect(home.read(Self.file) == text)
  }

  private func writeProfiles() throws {
    try home.write(
      #"{"client_id": "top", "store": "file", "profiles": {"home": {"timeout": 7}, "work": {"client_id": "w", "tenant": "t.example"}}}"#,
      to: Self.file
    )
  }

  @Test("profiles are listed, and one is the default until it is unset")
  func profiles() async throws {
    try writeProfiles()
    try await run("profiles").expect(0, stdout: "home\nwork\n")
    try await runner.run("switch", "--profile", "work").expect(0, stdout: "work\n")
    let settings = try await shown()
    #expect(settings["client_id"]?["value"] == "w" && settings["profile"]?["value"] == "work")
    #expect(settings["profile"]?["source"] == "file" && settings["profile"]?["file_key"] == "profile")
    #expect(try await shown("--profile", "home")["timeout"]?["value"] == 7)
    let marked = try await runner.runOnTerminal("config", "profiles")
    #expect(marked.stdout.contains("* work") && marked.stdout.contains("w  t.example"), "\(marked)")
    let other = CommandRunner(home: home, environment: ["MSAUTH_CLIENT_ID": "variable"])
    let json = try await other.run("config", "profiles", "--json").json["profiles"]?.array
    #expect(json?.map { $0["current"] } == [false, true] && json?.first?["client_id"] == "top")

    let overridden = try await run("set", "client_id", "top")
    #expect(overridden.stderr.contains("overrides this: \"profiles.work.client_id\" is set"), "\(overridden)")
    try await runner.run("switch", "--profile", "default").expect(0, stdout: "default\n")
    #expect(try await shown()["client_id"]?["value"] == "top")
  }

  @Test("a profile that doesn't exist, or is used in the wrong place, is rejected")
  func wrongProfile() async throws {
    try writeProfiles()
    for (arguments, words) in [
      (["switch", "--profile", "wrk"], "its profiles are home, work"),
      (["switch", "--profile", "work", "--store", "file"], "--store and --profile need an account"),
      (["config", "set", "profile", "wrk"], "its profiles are home, work"),
      (["config", "set", "profile", "home", "--profile", "work"], "no effect"),
      (["config", "set", "timeout", "1", "--profile", "default"], "--profile can't be default"),
    ] {
      try await runner.run(arguments).expect(64, words)
    }
    try home.write(#"{"client_id": "c", "profile": "wrk"}"#, to: "dangling.json")
    try await run("validate", "--config", home.path("dangling.json")).expect(78, output: "msauth config unset profile")
  }

  @Test("all profiles are removed only if confirmed")
  func profilesRemoved() async throws {
    try writeProfiles()
    try await run("unset", "profiles").expect(64, "removes all profiles: home, work")
    try await runner.runOnTerminal(["config", "unset", "profiles"], typing: "n\n").expect(3)
    try await run("unset", "profiles", "--yes").expect(0)
    #expect(try await shown()["client_id"]?["value"] == "top")
    #expect(try home.json(Self.file) == ["client_id": "top", "store": "file"])
  }

  @Test("an issuer sets authority and type, and replaces the tenant; the hint for two of them is the command")
  func issuer() async throws {
    try home.write(#"{"tenant": "contoso.example", "timeout": "5m"}"#, to: Self.file)
    try await run("set", "authority", "id.example").expect(78, "remove one: msauth config unset tenant\n")
    try await run("set", "issuer", "id.example/.well-known/openid-configuration").expect(0)
    let file: JSONValue = ["timeout": "5m", "authority": "https://id.example", "authority_type": "oidc"]
    #expect(try home.json(Self.file) == file)
    // A type that the URL implies doesn't outlast it.
    try await run("set", "issuer", "https://login.microsoftonline.com/common/v2.0").expect(0)
    try await run("set", "authority", "https://id.example").expect(0)
    #expect(try home.json(Self.file) == ["timeout": "5m", "authority": "https://id.example"])
    try await run("set", "issuer", "ftp://x").expect(64)
    try await run("unset", "issuer").expect(0)
    #expect(try home.json(Self.file) == ["timeout": "5m"])
    try await run("set", "tenant", "contoso.example").expect(0)
    try await run("unset", "issuer").expect(0)
    #expect(try home.json(Self.file)["tenant"] == "contoso.example")
    try home.write(#"{"profiles": {"mail": {"tenant": "fabrikam.com"}}}"#, to: Self.file)
    let other = try await run("set", "issuer", "https://id.example")
    let command = "msauth config set issuer https://login.microsoftonline.com/fabrikam.com --profile mail\n"
    #expect(other.code == 78 && other.stderr.contains("instead: \(command)"), "\(other)")
  }

  @Test("a variable that overrides the written key, or the authority that it names, is reported")
  func overridden() async throws {
    let variables = ["MSAUTH_AUTHORITY": "https://id.example", "MSAUTH_STORE": "file"]
    let runner = CommandRunner(home: home, environment: variables)
    for (key, value, variable) in [
      ("tenant", "contoso.example", "MSAUTH_AUTHORITY"), ("store", "auto", "MSAUTH_STORE"),
    ] {
      let outcome = try await runner.run("config", "set", key, value)
      let notices = outcome.stderr.split(separator: "\n").filter { $0.contains("overrides") }
      #expect(outcome.code == 0 && notices == ["msauth: \(variable) is set and overrides the file"], "\(outcome)")
    }
  }

  @Test("an invalid file can be fixed key by key")
  func fixed() async throws {
    let profiles = #", "profiles": {"p": {}}"#
    try home.write(#"{"client_id": "c", "stor": "file", "store": "cloud"\#(profiles)}"#, to: Self.file)
    try await run("unset", "profiles").expect(64, "removes all profiles: p")
    try await run("unset", "profiles", "--yes").expect(0)
    try await run("unset", "stor").expect(0)
    try await run("validate").expect(78)
    try await run("set", "store", "file").expect(0)
    try await run("validate").expect(0, "no mistakes")
    #expect(home.read(Self.file) == #"{"client_id": "c", "store": "file"}"#)
  }

  @Test("a secret is read from standard input or typed without echo, never given as an argument")
  func secret() async throws {
    try await run("set", "client_secret", "pssst").expect(64, lacks: "pssst")
    #expect(home.read(Self.file) == nil)

    // Input typed before the echo is off is shown and discarded, so wait for the prompt.
    let child = try runner.startOnTerminal(["config", "set", "client_secret"], typesMore: true)
    try await eventually("the prompt") { child.stdout.contains("(not shown): ") }
    try child.write("hush\n")
    try await runner.outcome(of: child).expect(0, lacks: "hush")
    #expect(try home.json(Self.file)["client_secret"] == "hush")
    for (key, code) in [("\n", 3), ("\u{4}", 3), ("\u{3}", 130)] {
      let child = try runner.startOnTerminal(["config", "set", "client_secret"], typesMore: true)
      try await eventually("the prompt") { child.stdout.contains("(not shown): ") }
      try child.write(key)
      try await runner.outcome(of: child).expect(code, output: "(not shown): \r\nmsauth: ")
    }
    try await run("set", "client_secret").expect(3, "no client_secret on standard input")
  }

  @Test(
    "a secret keeps everything but its trailing newline, or is rejected",
    arguments: [
      (#"a\r\n"#, "a"), ("a", "a"), (#" a \303\251 \n"#, " a \u{e9} "), (#"a\377"#, nil), (#"\r\n"#, nil),
      (String(repeating: "a", count: 4096), String(repeating: "a", count: 4096)),
      (String(repeating: "a", count: 4097), nil),
    ] as [(String, String?)]
  )
  func secretBytes(input: String, secret: String?) async throws {
    let command = "printf '\(input)' | \"$0\" config set client_secret"
    let outcome = try await runner.run(program: ["/bin/sh", "-c", command, try BuiltProducts.msauth])
    #expect((outcome.code == 0) == (secret != nil), "\(outcome)")
    #expect(secret != nil || outcome.stderr.contains("client_secret"), "\(outcome)")
    #expect((try? home.json(Self.file))?["client_secret"]?.string == secret)
  }

  @Test("directories are usable even if the umask masks the owner's permissions")
  func umask() async throws {
    let script = #"umask 0177; unset XDG_CONFIG_HOME; exec "$0" config set store file"#
    try await runner.run(program: ["/bin/sh", "-c", script, try BuiltProducts.msauth]).expect(0)
    for directory in ["home/.config", "home/.config/msauth"] { #expect(try home.mode(directory) == 0o700) }
  }

  @Test("validate reports a missing file, and every mistake with its line, and exits 78")
  func validate() async throws {
    let missing = try await run("validate")
    #expect(missing.code == 78 && (missing.stdout + missing.stderr).contains("exist"), "\(missing)")
    let path = try home.write("{\n  \"client_id\": \"c d\",\n  \"stor\": 1\n}", to: Self.file)
    let outcome = try await run("validate").expect(78, stderr: "")
    let lines = outcome.stdout.split(separator: "\n")
    for number in [2, 3] { #expect(lines.contains { $0.hasPrefix("\(path):\(number): ") }, "\(outcome)") }
    let json = try await run("validate", "--json")
    #expect(try json.code == 78 && json.json["error"]?["exit"] == 78, "\(json)")
    #expect(try json.json["mistakes"]?.array?.count == 2, "\(json)")
    try home.write(#"{"timeout": "long"}"#, to: Self.file)
    let rejected = try await runner.run("status")
    #expect(rejected.stderr.contains("hint: check the whole file: msauth config validate\n"), "\(rejected)")
  }

  @Test("a browser profile is chosen by name or number, marked in the list, and written to msauth's profile")
  func browser() async throws {
    let program = try home.script("", to: "chromium")
    try home.write(
      "[Desktop Entry]\nType=Application\nName=Mine\nExec=\(program) --user-data-dir=\(home.path("d")) %U\n"
        + "MimeType=x-scheme-handler/https;\n",
      to: "data/applications/mine.desktop"
    )
    try home.write(
      #"{"profile": {"info_cache": {"Default": {"name": "Home"}, "Profile 1": {"name": "Work"}}}}"#,
      to: "d/Local State"
    )
    try home.write(#"{"client_id": "c"}"#, to: Self.file)
    var runner = runner
    // Only this browser is installed.
    runner.environment = ["XDG_DATA_DIRS": home.path("none")]
    let command = "\(program) --user-data-dir=\(home.path("d")) '--profile-directory=Profile 1' %s"

    try await runner.run(["config", "browser"]).expect(0, stdout: "1) Mine\n2) Mine: Home\n3) Mine: Work\n")
    let chosen = try await runner.run(["config", "browser", "mine: work", "--profile", "work"])
    #expect(chosen.code == 0 && chosen.stdout == "Mine: Work\n", "\(chosen)")
    #expect(try home.json(Self.file) == ["client_id": "c", "profiles": ["work": ["browser": .string(command)]]])
    let marked = try await runner.run(["config", "browser", "--profile", "work"])
    #expect(marked.stdout.contains("3) Mine: Work (chosen)\n"), "\(marked)")

    try await runner.runOnTerminal(["config", "browser"], typing: "9\n1\n").expect(0, output: "Which browser, 1 to 3: ")
    let browsers = try await runner.run("config", "browser", "--json").json["browsers"]?.array
    #expect(browsers?.map { $0["chosen"]?.bool } == [true, false, false])
    try await runner.run(["config", "browser", "Mine: Wrk"]).expect(64, "did you mean \"Mine: Work\"")
  }
}

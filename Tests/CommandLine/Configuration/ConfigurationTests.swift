import MSAuthCore
import TestSupport
import Testing

@Suite("configuration sources", .limitedConcurrency)
struct ConfigurationTests {
  private let runner: CommandRunner
  private var home: Home { runner.home }

  init() throws { runner = try CommandRunner() }

  @Test("/etc/msauth/config.json is below the user's file, must be root's, and keeps its secret from users")
  func allUsers() async throws {
    var runner = runner
    runner.prefix = try await MountNamespace.replacing("/etc", with: home.path("etc"))
    let file = "etc/msauth/config.json"
    try home.write(#"{"client_id": "all", "timeout": 7}"#, to: file, mode: 0o644)
    try home.write(#"{"client_id": "own"}"#, to: "config/msauth/config.json")
    let shown = try await runner.run("config", "show", "--json")
    let settings = try shown.json["settings"]?.array ?? []
    func setting(_ name: String) -> JSONValue? { settings.first { $0["key"]?.string == name } }
    #expect(setting("client_id")?["value"] == "own", "\(shown)")
    #expect(setting("timeout")?["value"] == 7 && setting("timeout")?["file"] == "/etc/msauth/config.json", "\(shown)")
    #expect(try await runner.run("config", "show").stderr.contains("/etc/msauth/config.json"))
    let unset = try await runner.run("config", "unset", "timeout")
    #expect(unset.stderr.contains("\"timeout\" is still set for all users, in /etc/msauth/config.json:1"), "\(unset)")

    try home.write(#"{"client_id": "all", "profile": "w", "profiles": {"w": {"timeout": 9}}}"#, to: file, mode: 0o644)
    try await runner.run("switch", "--profile", "default").expect(0)
    #expect(try await runner.run("config", "get", "profile").stdout == "default\n")
    for (text, mode, words) in [
      (#"{"client_id": "all", "client_secret": "s"}"#, 0o644, "\"client_secret\" can be read by every user"),
      (
        #"{"profiles": {"work": {"client_secret": "s"}}}"#, 0o644,
        "\"profiles.work.client_secret\" can be read by every user"
      ),
      ("{}", 0o666, "/etc/msauth/config.json can be written by others"), (#"{"x": 1}"#, 0o644, "unknown key"),
    ] {
      try home.write(text, to: file, mode: mode)
      try await runner.run("status").expect(78, words)
    }
    try home.write(#"{"client_id": "all", "client_secret": "s"}"#, to: file, mode: 0o640)
    try await runner.run("config", "show").expect(0)

    // A mistake for all users is reported once, also if the user's default profile is there.
    try home.write(#"{"x": 1, "profiles": {"w": {}}}"#, to: file, mode: 0o644)
    try home.write(#"{"profile": "w"}"#, to: "config/msauth/config.json")
    let mistakes = try await runner.run("config", "validate").stdout
    #expect(mistakes.ranges(of: "unknown key").count == 1, "\(mistakes)")

    // The user's default profile outlives their own profiles if it is there.
    try home.write(#"{"profiles": {"w": {}}}"#, to: file, mode: 0o644)
    try home.write(#"{"profile": "w", "profiles": {"v": {}}}"#, to: "config/msauth/config.json")
    try await runner.run("config", "unset", "profiles", "--yes").expect(0)
    #expect(try home.json("config/msauth/config.json") == ["profile": "w"])
    try FileManager.default.removeItem(atPath: home.path("config/msauth/config.json"))
    let valid = try await runner.run("config", "validate")
    #expect(valid.stderr == "msauth: /etc/msauth/config.json has no mistakes\n", "\(valid)")
  }

  @Test("a tenant below an authority for all users is written as an authority")
  func tenantBelowAuthority() async throws {
    var runner = CommandRunner(home: home, environment: ["https_proxy": "http://127.0.0.1:9"])
    runner.prefix = try await MountNamespace.replacing("/etc", with: home.path("etc"))
    let system = #"{"client_id": "all", "authority": "https://id.example"}"#
    try home.write(system, to: "etc/msauth/config.json", mode: 0o644)
    try await runner.run("config", "set", "tenant", "contoso.example")
      .expect(64, "https://login.microsoftonline.com/contoso.example\n")
    let id = "00001111-aaaa-2222-bbbb-3333cccc4444"
    try await runner.run("init", "--client-id", id, "--tenant", "contoso.example", "--yes").expect(0)
    let authority = "https://login.microsoftonline.com/contoso.example"
    #expect(try await runner.run("config", "get", "issuer").stdout == authority + "\n")
  }

  @Test(
    "a file for all users that the user can't read is the administrator's to share",
    .enabled(if: geteuid() == 0, "needs root to become another user")
  )
  func unreadable() async throws {
    try home.write(#"{"client_secret": "s"}"#, to: "etc/msauth/config.json", mode: 0o640)
    let enter = try await MountNamespace.running(
      #"""
      chown -R 12002:12002 "$1" && chown 0:0 "$1/etc/msauth/config.json" && mount --bind "$1/etc" /etc && shift && \
      exec setpriv --reuid 12002 --regid 12002 --clear-groups "$@"
      """#
    )
    var runner = runner
    runner.prefix = enter + [home.path("")]
    for command in [["status"], ["init", "--client-id", "c", "--issuer", "http://127.0.0.1:9", "--yes"]] {
      try await runner.run(command).expect(78, "as with chgrp GROUP /etc/msauth/")
    }
    #expect(home.files(below: "config").isEmpty)
  }

  @Test(
    "a group-writable file is accepted if the group is the owner's private group",
    .enabled(if: geteuid() == 0, "needs root to become another user"),
    arguments: [
      ("ada:x:12002:12002::/:/bin/sh", "ada:x:12002:", true),
      ("ada:x:12002:12002::/:/bin/sh", "ada:x:12002:ada", true), ("", "", true),
      ("ada:x:12002:12002::/:/bin/sh", "ada:x:12002:ada,eve", false),
      ("ada:x:12002:12002::/:/bin/sh", "staff:x:12002:", false),
      ("ada:x:12002:12002::/:/bin/sh\neve:x:12003:12002::/:/bin/sh", "ada:x:12002:", false),
    ]
  )
  func ownGroup(users: String, groups: String, isTrusted: Bool) async throws {
    let text = #"{"client_id": "c", "store": "memory"}"#
    let file = try home.write(text, to: "config/msauth/config.json", mode: 0o664)
    for (name, text) in [("passwd", users), ("group", groups), ("nsswitch.conf", "passwd: files\ngroup: files")] {
      try home.write(text + "\n", to: "etc/" + name, mode: 0o644)
    }
    let enter = try await MountNamespace.running(
      #"""
      chown -R 12002:12002 "$1" && mount --bind "$1/etc" /etc && shift && \
      exec setpriv --reuid 12002 --regid 12002 --clear-groups "$@"
      """#
    )
    var runner = runner
    runner.prefix = enter + [home.path("")]
    let outcome = try await runner.run("accounts").expect(isTrusted ? 0 : 78)
    #expect(isTrusted || outcome.stderr.contains("\(file) can be written by others"), "\(outcome)")
  }

  @Test(
    "in a user namespace, unmapped owners are rejected except for system directories",
    .enabled(if: geteuid() == 0, "needs root to give files away"),
    arguments: [(4711, false), (0, true), (12_002, true)] as [(UInt32, Bool)]
  )
  func userNamespace(owner: UInt32, isTrusted: Bool) async throws {
    try home.write(#"{"client_id": "c", "store": "memory"}"#, to: "home/folder/config.json")
    // /tmp's owner is unmapped in 12002's namespace.
    let user = owner == 12_002 ? owner : 0
    let script = #"""
      chown -R "$2:$2" "$1" && chown "$3" "$1/home/folder" && cd "$1/home" && user=$2 && shift 3 && \
      exec setpriv --reuid "$user" --regid "$user" --clear-groups unshare --user --map-root-user "$@"
      """#
    var runner = runner
    runner.prefix = ["unshare", "--mount", "sh", "-c", script, "sh", home.path(""), "\(user)", "\(owner)"]
    let outcome = try await runner.run("accounts", "--config", home.path("home/folder/config.json"))
    #expect(outcome.code == (isTrusted ? 0 : 78), "\(outcome)")
    #expect(isTrusted || outcome.stderr.contains("/home/folder belongs to another user"), "\(outcome)")
  }

  @Test(
    "a file that others can write is rejected, also by the directories above the working directory",
    arguments: ["c.json", "./c.json"],
    ["home", ".", "home/c.json"]
  )
  func relativePath(file: String, path: String) async throws {
    try home.write(#"{"client_id": "c", "store": "memory"}"#, to: "home/c.json")
    try await runner.run("accounts", "--config", file).expect(0)
    chmod(home.path(path), 0o777)
    try await runner.run("accounts", "--config", file).expect(78, "can be written by others", "chmod", stdout: "")
  }

  @Test("a missing profile is named together with the source of its name", arguments: [true, false])
  func missingProfile(isFlag: Bool) async throws {
    let file = try home.write(#"{"client_id": "c"}"#, to: "config/msauth/config.json")
    let runner = CommandRunner(home: home, environment: isFlag ? [:] : ["MSAUTH_PROFILE": "travel"])
    try await runner.run(["status"] + (isFlag ? ["--profile", "travel"] : []))
      .expect(isFlag ? 64 : 78, "travel", file)
  }

  @Test(
    "a cache file is rejected beside a store that doesn't use it, if one source sets both",
    arguments: [true, false]
  )
  func unusedCacheFile(isFlag: Bool) async throws {
    let file = home.path("c.json")
    let runner = CommandRunner(
      home: home,
      environment: isFlag ? [:] : ["MSAUTH_CACHE_FILE": file, "MSAUTH_STORE": "secret-service"]
    )
    let flags = isFlag ? ["--cache-file", file, "--store", "secret-service"] : []
    let outcome = try await runner.run(["status", "--client-id", "c"] + flags).expect(isFlag ? 64 : 78, stdout: "")
    let name = isFlag ? "--cache-file" : "MSAUTH_CACHE_FILE"
    #expect(outcome.stderr.contains(name) && outcome.stderr.contains("secret-service"), "\(outcome)")
  }

  @Test("between two sources, a flag beats a variable, and a variable beats the file")
  func cacheFileAndStore() async throws {
    try home.write(#"{"client_id": "c", "store": "secret-service"}"#, to: "config/msauth/config.json")
    // An invalid cache shows whether the file was read.
    let damaged = try home.write("no cache", to: "c.json")
    func exit(_ flags: [String], _ environment: [String: String] = [:]) async throws -> Int32 {
      try await CommandRunner(home: home, environment: environment).run(["accounts"] + flags).code
    }
    #expect(try await exit(["--cache-file", damaged]) == 6)
    #expect(try await exit([], ["MSAUTH_CACHE_FILE": damaged]) == 6)
    #expect(try await exit(["--store", "memory"], ["MSAUTH_CACHE_FILE": damaged]) == 0)
    #expect(try await exit(["--cache-file", damaged], ["MSAUTH_STORE": "memory"]) == 6)
  }

  @Test(
    "a path that isn't UTF-8 is rejected by the name of its source, and no other file is touched",
    arguments: [
      ("HOME", []), ("XDG_CONFIG_HOME", []), ("XDG_STATE_HOME", []), ("XDG_CACHE_HOME", []), ("XDG_RUNTIME_DIR", []),
      ("MSAUTH_CONFIG", []), ("MSAUTH_CACHE_FILE", []), ("--cache-file", ["--cache-file"]), ("--config", ["--config"]),
    ] as [(String, [String])]
  )
  func notUTF8(_ name: String, _ flag: [String]) async throws {
    // `$1` names the variable; without it the path is the last argument.
    let script = #"""
      path=$(printf '%s/\377' "$1"); variable=$2; shift 2
      if [ -z "$variable" ]; then exec "$@" "$path"; fi
      eval "export $variable=\$path"; exec "$@"
      """#
    let command = [try BuiltProducts.msauth, "accounts", "--client-id", "c", "--store", "file"] + flag
    try await runner.run(
      program: ["/bin/sh", "-c", script, "sh", home.path("state"), flag.isEmpty ? name : ""] + command
    ).expect((flag.isEmpty ? 78 : 64), name, "UTF-8", stdout: "")
    #expect(home.files(below: ".").isEmpty)
  }
}

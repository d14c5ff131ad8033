import DemoProvider
import Foundation
import Glibc
import Core
import TestSupport
import Testing

@Suite("a store in trouble, from the command line", .limitedConcurrency)
struct StoreTroubleTests {
  /// What is wrong with a cache file that was good.
  enum Trouble: String, CaseIterable {
    case symbolicLink, hardLink, readableByAll, writableByGroup, folderInItsPlace, pipeInItsPlace, folderOpenToAll,
      parentOpenToAll
    case truncated, garbage, list, tooLarge

    /// Whether a sign-in may begin anew: the content is no cache, and the file is ours alone.
    var isDamage: Bool { [.truncated, .garbage, .list, .tooLarge].contains(self) }

    /// What the others are refused for, as a word of the message.
    func cause(_ fixture: DemoProviderFixture) throws {
      let path = fixture.home.path(DemoProviderFixture.cacheFile)
      let elsewhere = fixture.home.path("elsewhere")
      switch self {
      case .symbolicLink:
        try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
      case .hardLink: try FileManager.default.linkItem(atPath: path, toPath: elsewhere)
      case .readableByAll: try mode(0o644, path)
      case .writableByGroup: try mode(0o620, path)
      case .folderInItsPlace:
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      case .pipeInItsPlace:
        try FileManager.default.removeItem(atPath: path)
        guard mkfifo(path, 0o600) == 0 else { throw TestFailure("no pipe") }
      case .folderOpenToAll, .parentOpenToAll: try mode(0o777, fixture.home.path(folder))
      case .truncated:
        try fixture.home.write(String((fixture.home.read(DemoProviderFixture.cacheFile) ?? "").dropLast(40)), to: file)
      case .garbage: try fixture.home.write("\u{0}\u{1}not a cache", to: file)
      case .list: try fixture.home.write("[]", to: file)
      case .tooLarge: guard truncate(path, (64 << 20) + 1) == 0 else { throw TestFailure("no room") }
      }
    }

    /// Whether it is about a folder, which matters to who writes into it alone.
    var isAboutFolders: Bool { [.folderOpenToAll, .parentOpenToAll].contains(self) }
    /// What is not as it should be.
    var place: String { isAboutFolders ? folder : file }

    private var file: String { DemoProviderFixture.cacheFile }
    private var folder: String { self == .parentOpenToAll ? "state" : "state/msauth" }

    private func mode(_ mode: Int, _ path: String) throws {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
  }

  @Test("a command that needs the store exits 6, names the place, and changes nothing", arguments: Trouble.allCases)
  func refused(trouble: Trouble) async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    try trouble.cause(fixture)
    await fixture.provider.forgetRecord()
    let before = fixture.home.files(below: ".").filter { !$0.hasPrefix("cache/") }
    let place = fixture.home.path(trouble.place)
    // Reading needs only the file.
    let commands = trouble.isAboutFolders ? [["token", "--force-refresh"]] : [["token"], ["accounts"], ["status"]]
    for command in commands {
      let outcome = try await fixture.runner.outcome(of: fixture.start(command))
      #expect(outcome.code == 6 && outcome.stdout.isEmpty, "\(outcome)")
      #expect(outcome.stderr.contains(place), "\(outcome)")
    }
    #expect(await fixture.grants().isEmpty)
    #expect(fixture.home.files(below: ".").filter { !$0.hasPrefix("cache/") } == before)
  }

  @Test(
    "a sign-in sets a damaged cache aside, says so, and begins a new one",
    arguments: Trouble.allCases.filter(\.isDamage)
  )
  func setAside(trouble: Trouble) async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    try trouble.cause(fixture)
    let damaged = fixture.home.read(DemoProviderFixture.cacheFile)

    let login = try fixture.start(["login"])
    _ = try await ScriptedBrowser().walk(from: try await login.printedURL(), as: "ada")
    let outcome = try await fixture.runner.outcome(of: login)
    #expect(outcome.code == 0 && outcome.stdout == "ada@contoso.example\n", "\(outcome)")
    let aside = fixture.home.files(below: "state/msauth").filter { $0.hasPrefix("token_cache.json.damaged-") }
    try #require(aside.count == 1)
    #expect(fixture.home.read("state/msauth/\(aside[0])") == damaged)
    #expect(outcome.stderr.contains(aside[0]) && outcome.stderr.contains("damaged"), "\(outcome.stderr)")
    #expect(try await fixture.run("token").code == 0)
  }

  @Test(
    "a sign-in leaves a cache alone that is not to be trusted, and asks nobody",
    arguments: Trouble.allCases.filter { !$0.isDamage }
  )
  func leftAlone(trouble: Trouble) async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    try trouble.cause(fixture)
    await fixture.provider.forgetRecord()
    let before = fixture.home.files(below: ".").filter { !$0.hasPrefix("cache/") }
    // With a prompt of its own a sign-in has no need to look for who signed out.
    for prompt in [[], ["--prompt", "login"]] {
      let outcome = try await fixture.runner.outcome(of: fixture.start(["login", "--no-browser"] + prompt))
      #expect(outcome.code == 6 && !outcome.stderr.contains("state="), "\(outcome)")
    }
    #expect(
      fixture.home.files(below: ".").filter { !$0.hasPrefix("cache/") } == before.filter { !$0.hasPrefix("cache/") }
    )
  }

  @Test("a cache of 2 MB is no trouble, and an empty file is an empty cache")
  func unusual() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    var root = try #require(try fixture.cache().object)
    root["Foreign"] = ["padding": .string(String(repeating: "x", count: 2 << 20))]
    try fixture.home.write(
      String(decoding: JSON.object(root).serialized(), as: UTF8.self),
      to: DemoProviderFixture.cacheFile
    )
    #expect(try await fixture.run("token").code == 0)
    #expect(try await fixture.run("token", "--force-refresh").code == 0)
    #expect(try fixture.cache()["Foreign"] == root["Foreign"])
    try fixture.home.write("", to: DemoProviderFixture.cacheFile)
    #expect(try await fixture.run("status").stdout == "Signed out\n")
    try await fixture.signIn()
  }

  @Test("a number that Python writes and JSON does not have is no damage, and is kept")
  func notANumber() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    let cache = try #require(fixture.home.read(DemoProviderFixture.cacheFile))
    try fixture.home.write(
      #"{"Foreign": {"ratio": NaN, "limit": -Infinity},"# + cache.dropFirst(),
      to: DemoProviderFixture.cacheFile
    )
    #expect(try await fixture.run("token", "--force-refresh").code == 0)
    let after = try #require(fixture.home.read(DemoProviderFixture.cacheFile))
    #expect(after.contains(#""ratio": NaN"#) && after.contains(#""limit": -Infinity"#), "\(after.prefix(200))")
  }

  @Test(
    "a relative cache file is refused where the working directory is gone or has no name in UTF-8",
    arguments: [
      #"mkdir "$1/gone"; cd "$1/gone"; rmdir "$1/gone""#, #"d=$(printf '%s/\377' "$1"); mkdir "$d"; cd "$d""#,
    ]
  )
  func workingDirectory(_ enter: String) async throws {
    let home = try Home()
    let child = try ChildProcess(
      [
        "/bin/sh", "-c", #"\#(enter); shift; exec "$@""#, "sh", home.path("data"), try BuiltProducts.msauth, "accounts",
        "--client-id", "c", "--cache-file", "token_cache.json",
      ],
      environment: home.environment
    )
    let outcome = try await CommandRunner(home: home).outcome(of: child)
    #expect(outcome.code == 6 && outcome.stdout.isEmpty && outcome.stderr.contains("working directory"), "\(outcome)")
  }

  @Test("a cache that another program is just rewriting in place is waited for")
  func rewrittenInPlace() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    let token = try await fixture.run("token").stdout
    // As MSAL Python writes: under the lock, but the file is empty for a moment, here for a long one.
    let script = #"""
      set -C; printf '%s sh' $$ > "$1.lockfile"; set +C; cache=$(cat "$1"); : > "$1"; echo empty; sleep 1
      printf %s "$cache" > "$1"; rm "$1.lockfile"
      """#
    let writer = try ChildProcess(
      ["/bin/sh", "-c", script, "sh", fixture.home.path(DemoProviderFixture.cacheFile)],
      environment: fixture.home.environment
    )
    _ = try await eventually("the empty file") { writer.stdout == "empty\n" ? true : nil }
    let outcome = try await fixture.run("token")
    #expect(outcome.code == 0 && outcome.stdout == token, "\(outcome)")
    #expect(try await writer.end() == .exited(0))
  }

  @Test("without HOME the XDG folders serve; a relative one is passed over, as the specification has it")
  func folders() async throws {
    let fixture = try await DemoProviderFixture()
    var environment = fixture.home.environment
    environment["HOME"] = nil
    let runner = { (arguments: [String], environment: [String: String]) in
      let child = try ChildProcess([try BuiltProducts.msauth] + arguments, environment: environment)
      return try await fixture.runner.outcome(of: child)
    }
    try await fixture.signIn()
    let token = try await fixture.run("token").stdout
    #expect(try await runner(["token"] + fixture.identity(), environment).stdout == token)

    environment = fixture.home.environment
    environment["XDG_STATE_HOME"] = "state"
    let child = try ChildProcess([try BuiltProducts.msauth, "login"] + fixture.identity(), environment: environment)
    _ = try await ScriptedBrowser().walk(from: try await child.printedURL(), as: "ada")
    #expect(try await child.end() == .exited(0), "\(child.stderr)")
    #expect(fixture.home.read("home/.local/state/msauth/token_cache.json") != nil)
    #expect(child.stderr.contains("XDG_STATE_HOME is ignored"), "\(child.stderr)")
  }

  @Test("a file system whose locks do not work is named at once, and no lock file is left on it")
  func noLocks() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    let token = try await fixture.run("token").stdout
    let library = try await PreloadedLibrary(PreloadedLibrary.noLocks, in: fixture.home)
    let runner = CommandRunner(home: fixture.home, environment: library.environment)
    await fixture.provider.forgetRecord()
    for command in [["token", "--force-refresh"], ["login", "--no-browser"]] {
      let child = try runner.start(command.prefix(1) + fixture.identity() + command.dropFirst())
      let outcome = try await runner.outcome(of: child, by: .after(40))
      #expect(outcome.code == 6 && outcome.stdout.isEmpty && !outcome.stderr.contains("state="), "\(outcome)")
      #expect(outcome.stderr.contains("No locks available"), "\(outcome)")
      #expect(!outcome.stderr.contains("holds the lock"), "\(outcome)")
      #expect(fixture.home.files(below: "state/msauth") == ["token_cache.json"])
    }
    #expect(await fixture.grants().isEmpty)
    #expect(try await runner.outcome(of: runner.start(["token"] + fixture.identity())).stdout == token)
  }

  /// Where nothing more can be written.
  enum Shortage: String, CaseIterable {
    case readOnly, fullDisk, noMoreFiles, fileSizeLimit

    /// What brings it about for the commands after it, in a view of the file system of their own if it mounts.
    func command(_ state: String) async throws -> [String] {
      let go = #"shift; exec "$@""#
      let words =
        switch self {
        case .readOnly:
          try await MountNamespace.running(#"mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && \#(go)"#)
        case .fullDisk:
          try await MountNamespace.running(
            #"""
            cache=$(cat "$1/token_cache.json") && mount -t tmpfs -o size=64k,mode=700 none "$1" || exit 99
            umask 077; printf %s "$cache" > "$1/token_cache.json"; cat /dev/zero > "$1/filler" 2> /dev/null; \#(go)
            """#
          )
        case .noMoreFiles:
          // One more file, the lock's, can be made.
          try await MountNamespace.running(
            #"""
            cache=$(cat "$1/token_cache.json") && mount -t tmpfs -o nr_inodes=16,mode=700 none "$1" || exit 99
            umask 077; printf %s "$cache" > "$1/token_cache.json"; n=0
            while true 2> /dev/null > "$1/filler$n"; do n=$((n + 1)); done
            rm "$1/filler0"; \#(go)
            """#
          )
        // 64 blocks of 512 bytes; without the signal it is an error like that of a full disk.
        case .fileSizeLimit: ["/bin/sh", "-c", "trap '' XFSZ; ulimit -f 64; \(go)", "sh"]
        }
      return words + [state]
    }
  }

  @Test(
    "no room, or no right to write: stored tokens are printed, and no refresh token is used up for one that could not be kept",
    arguments: Shortage.allCases
  )
  func shortage(_ shortage: Shortage) async throws {
    let fixture = try await DemoProviderFixture(DemoOptions(rotates: true))
    try await fixture.signIn()
    let before = try fixture.cache()
    let enter = try await shortage.command(fixture.home.path("state/msauth"))
    func run(_ arguments: String...) async throws -> CommandRunner.Outcome {
      let child = try ChildProcess(
        enter + [try BuiltProducts.msauth] + arguments + fixture.identity(),
        environment: fixture.home.environment
      )
      return try await fixture.runner.outcome(of: child)
    }
    await fixture.provider.forgetRecord()
    let read = try await run("token")
    #expect(read.code == 0 && read.stdout.hasPrefix("demo-at-"), "\(read)")
    let write = try await run("token", "--force-refresh")
    #expect(write.code == 6 && write.stdout.isEmpty, "\(write)")
    #expect(write.stderr.contains("state/msauth/token_cache.json"), "\(write)")
    #expect(await fixture.grants().isEmpty)
    // Nobody is asked to sign in for nothing.
    let login = try await run("login", "--no-browser")
    #expect(login.code == 6 && !login.stderr.contains("state="), "\(login)")
    #expect(login.stderr.contains("state/msauth/token_cache.json"), "\(login)")
    #expect(await fixture.grants().isEmpty)
    #expect(try fixture.cache() == before)
    // Nor does the question who is signed in need any space.
    let status = try await run("status")
    #expect(status.code == 0 && status.stdout == "ada@contoso.example\n", "\(status)")
    #expect(try await fixture.run("token", "--force-refresh").code == 0)
    #expect(fixture.home.files(below: "state/msauth") == ["token_cache.json"])
  }

  @Test("status writes nothing, and works on a read-only store, also where another application signed the account out")
  func statusOnReadOnlyStore() async throws {
    let fixture = try await DemoProviderFixture()
    let other = fixture.provider.otherClientID
    try await fixture.signIn()
    try await fixture.signIn(client: other)
    #expect(try await fixture.run("logout", "--wipe").code == 0)
    let enter = try await Shortage.readOnly.command(fixture.home.path("state/msauth"))
    for _ in 0..<2 {
      let child = try ChildProcess(
        enter + [try BuiltProducts.msauth, "status"] + fixture.identity(other),
        environment: fixture.home.environment
      )
      let outcome = try await fixture.runner.outcome(of: child)
      #expect(outcome.code == 0 && outcome.stdout == "Signed out\n", "\(outcome)")
      #expect(outcome.stderr == "msauth: ada@contoso.example was signed out by another application\n", "\(outcome)")
    }
  }

  @Test("logout --all --wipe leaves no token, not even in a cache that was set aside")
  func wipesSetAside() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn()
    try Trouble.truncated.cause(fixture)
    try await fixture.signIn()
    func files() -> [String] { fixture.home.files(below: "state/msauth") }
    func refreshTokens() -> Int {
      files().count { fixture.home.read("state/msauth/\($0)")?.contains("demo-rt-") == true }
    }
    #expect(refreshTokens() == 2)
    #expect(try await fixture.run("logout", "--all").code == 0)
    #expect(refreshTokens() == 1, "a sign-out alone deletes nothing that was set aside")
    let outcome = try await fixture.run("logout", "--all", "--wipe")
    #expect(outcome.code == 0, "\(outcome)")
    #expect(refreshTokens() == 0 && files() == ["token_cache.json"], "\(files())")
  }
}

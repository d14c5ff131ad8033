import TestSupport
import Testing

@Suite("msauth exec", .limitedConcurrency)
struct ExecTests {
  private let fixture: ProviderMockFixture

  init() async throws { fixture = try await ProviderMockFixture.signedIn() }

  /// Starts a command that runs until it is killed.
  private func startSleeping() async throws -> ChildProcess {
    let child = try fixture.start(["exec", "--", "sh", "-c", "echo $$; exec sleep 1000"])
    // The command replaces msauth, so it has the same process ID.
    #expect(try await child.firstLine() == "\(child.pid)")
    return child
  }

  private var files: [String] { fixture.home.files(below: "run/msauth/exec") }

  private func expectRemoval() async throws {
    try await eventually("the file's removal") { files.isEmpty }
  }

  @Test("the token is in a file only the user can read, not in arguments or variables, and removed at the end")
  func file() async throws {
    let token = try await fixture.run("token").stdout
    let script = #"""
      cat "$MSAUTH_TOKEN_FILE"
      stat -c '%a %u' "$MSAUTH_TOKEN_FILE" "$(dirname "$MSAUTH_TOKEN_FILE")"
      tr '\0' '\n' </proc/$$/environ; tr '\0' '\n' </proc/$$/cmdline; ls /proc/$$/fd
      exit 42
      """#
    let outcome = try await fixture.run("exec", "--", "sh", "-c", script, "an argument").expect(42, stderr: "")
    let lines = outcome.stdout.split(separator: "\n")
    #expect(lines.first.map { $0 + "\n" } == token, "\(outcome)")
    #expect(lines.dropFirst().prefix(2) == ["600 \(geteuid())", "700 \(geteuid())"], "\(outcome)")
    #expect(lines.filter { $0.contains(token.dropLast()) }.count == 1, "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("MSAUTH_TOKEN_FILE=\(fixture.home.path("run"))/msauth/exec/") }, "\(outcome)")
    #expect(lines.contains("an argument"), "\(outcome)")
    #expect(lines.drop { $0 != "an argument" }.dropFirst() == ["0", "1", "2"], "the descriptors: \(outcome)")
    try await expectRemoval()
  }

  @Test("a signal kills the command, and the file is removed", arguments: [SIGTERM, SIGINT, SIGKILL])
  func signals(number: Int32) async throws {
    let child = try await startSleeping()
    #expect(files.count == 1, "\(files)")
    child.signal(number)
    #expect(try await child.end() == .killed(number))
    try await expectRemoval()
  }

  @Test("the next command removes files of a killed session")
  func abandoned() async throws {
    for name in ["token", "az"] { try fixture.home.write("old", to: "run/msauth/exec/ABCDEF/\(name)") }
    for part in ["msauth", "msauth/exec", "msauth/exec/ABCDEF"] { chmod(fixture.home.path("run/\(part)"), 0o700) }
    let running = try await startSleeping()
    try await fixture.run("exec", "--", "true").expect(0)
    // The other command's file is in use.
    try await eventually("one file") { files.count == 1 }
    #expect(!files.contains { $0.contains("ABCDEF") })
    running.signal(SIGTERM)
    _ = try await running.end()
    try await expectRemoval()
  }

  @Test("--fd passes the token on a seekable descriptor, without a file")
  func descriptor() async throws {
    var fixture = fixture
    let token = try await fixture.run("token").stdout.dropLast()
    let script = #"cat /dev/fd/9 "$MSAUTH_TOKEN_FILE"; echo x >/dev/fd/9; ls "$XDG_RUNTIME_DIR""#
    let outcome = try await fixture.run("exec", "--fd", "9", "--output", "header", "--", "bash", "-c", script)
    let line = "Authorization: Bearer \(token)\n"
    #expect(outcome.stdout == line + line && outcome.stderr.contains("Operation not permitted"), "\(outcome)")
    fixture.runner.prefix = ["/usr/bin/prlimit", "--nofile=128"]
    try await fixture.run("exec", "--fd", "200", "--", "true").expect(1, "descriptor_unusable")
  }

  @Test("a missing command exits 127, a file that isn't executable 126, without requesting a token")
  func noCommand() async throws {
    let fixture = try await ProviderMockFixture()
    try await fixture.run("exec", "--", "no-such-program-here").expect(127, "no-such-program-here")
    try await fixture.run("exec", "--", fixture.home.write("text", to: "home/text")).expect(126)
    try await fixture.run("exec").expect(64)
    try await fixture.run("exec", "--", "true").expect(2)
  }

  @Test("only the token's own files are removed from its directory")
  func foreignFile() async throws {
    let script = #"d=$(dirname "$MSAUTH_TOKEN_FILE"); echo mine >"$d/mine"; echo half >"$MSAUTH_TOKEN_FILE.ab.new""#
    try await fixture.run("exec", "--", "sh", "-c", script).expect(0)
    try await eventually("the file's removal") { files.allSatisfy { $0.hasSuffix("/mine") } }
    // The next command finds the directory of a process that has ended.
    try await fixture.run("exec", "--", "true").expect(0)
    try await eventually("the next file's removal") { files.count == 1 }
    #expect(files.first?.hasSuffix("/mine") == true)
  }

  @Test("children are waited for even if SIGCHLD was ignored at the start")
  func ignoredChildren() async throws {
    var fixture = fixture
    fixture.runner.prefix = ["/bin/bash", "-c", #"trap "" CHLD; exec "$@""#, "bash"]
    try await fixture.run("exec", "--", "sh", "-c", "exit 42").expect(42, stderr: "")
  }

  @Test("sign-out removes the token file while the command runs, also of an account ID that begins with a hyphen")
  func signOut() async throws {
    try await fixture.signIn(as: "-Xk3abc")
    let running = try await startSleeping()
    #expect(files.count == 1)
    _ = try await fixture.run("logout")
    try await expectRemoval()
    #expect(running.ending == nil)
    running.signal(SIGTERM)
    _ = try await running.end()
  }

  @Test("the command can wait for all of its children; the renewal process isn't one of them")
  func noChild() async throws {
    let script = "import os\ntry: print(os.wait())\nexcept ChildProcessError: print('none')"
    let outcome = try await fixture.run("exec", "--", "/usr/bin/python3", "-c", script)
    #expect(outcome.stdout == "none\n", "\(outcome)")
  }
}

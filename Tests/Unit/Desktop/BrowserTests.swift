import Foundation
import Glibc
import MSAuthCore
import Testing

@testable import MSAuthDesktop

@Suite struct BrowserTests {
  /// What an opener runs until the file `go` exists.
  private static let waits = "while [ ! -e $HERE/go ]; do sleep 0.05; done"

  let openers: OpenerFixture
  let url: URL

  init() throws {
    openers = try OpenerFixture()
    url = try #require(URL(string: "https://login.example/authorize?a=1&b=2"))
  }

  @Test("if an opener fails early, the next one is tried", arguments: [1, 2, 3, 4, 127])
  func earlyFailure(status: Int) async throws {
    try openers.opener("xdg-open", then: "exit \(status)")
    try openers.opener("gio")
    #expect(try await openers.browser().open(url) == "gio")
    #expect(openers.arguments("xdg-open") == [url.absoluteString])
    #expect(openers.arguments("gio") == ["open", url.absoluteString])
  }

  @Test("an opener that fails although the page was requested is the last one that is tried")
  func requested() async throws {
    try openers.opener("xdg-open", then: "exit 1")
    try openers.opener("gio")
    let requested = OneShot<Void>()
    requested.resume()
    #expect(try await openers.browser().open(url, until: requested) == "xdg-open")
    #expect(openers.arguments("gio") == nil)
  }

  @Test("if all fail, each is named with its status")
  func allFail() async throws {
    try openers.opener("xdg-open", then: "exit 3")
    try openers.opener("x-www-browser", then: "kill -9 $$")
    let ends = "xdg-open: ended with status 3; gio: command not found; x-www-browser: was ended by signal 9"
    let error = await failure(openers.browser(), url)
    #expect(error == .notOpened("\(ends); sensible-browser: command not found"))
    #expect(await failure(openers.browser("xdg-open"), url)?.hint == .checkBrowser)
  }

  @Test("a file that isn't executable is skipped")
  func broken() async throws {
    try "not a program".write(toFile: openers.path("xdg-open"), atomically: true, encoding: .utf8)
    try openers.opener("gio")
    #expect(try await openers.browser().open(url) == "gio")
  }

  @Test("an opener in the foreground doesn't block and keeps running")
  func foreground() async throws {
    try openers.opener("xdg-open", then: "echo $$ > $HERE/pid; \(Self.waits); : > $HERE/done; sleep 60")
    // It runs until it is released below.
    #expect(try await openers.browser(failureTimeout: .milliseconds(300)).open(url) == "xdg-open")
    try "".write(toFile: openers.path("go"), atomically: true, encoding: .utf8)
    try await openers.waitFor("done")
    if let pid = openers.text("pid").flatMap({ pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) {
      kill(pid, SIGKILL)
    }
  }

  @Test("an opener that ends within the watch period has opened the address")
  func watched() async throws {
    try openers.opener("xdg-open", then: Self.waits)
    async let name = openers.browser().open(url)
    try await openers.waitFor("xdg-open.args")
    try "".write(toFile: openers.path("go"), atomically: true, encoding: .utf8)
    #expect(try await name == "xdg-open")
  }

  @Test("a canceled task returns at once, and the opener keeps running")
  func canceled() async throws {
    try openers.opener("xdg-open", then: Self.waits + "; : > $HERE/done")
    let browser = openers.browser(failureTimeout: .seconds(60))
    let task = Task { [url] in try? await browser.open(url) }
    try await openers.waitFor("xdg-open.args")
    task.cancel()
    _ = await task.value
    try "".write(toFile: openers.path("go"), atomically: true, encoding: .utf8)
    try await openers.waitFor("done")
  }

  @Test("an opener that writes a megabyte to either output doesn't block, and its output isn't shown")
  func chatter() async throws {
    let output = "head -c 1048576 /dev/zero; head -c 1048576 /dev/zero >&2"
    try openers.opener("xdg-open", then: "ls -l /proc/self/fd > $HERE/fds; \(output); : > $HERE/done")
    #expect(try await openers.browser().open(url) == "xdg-open")
    try await openers.waitFor("done")
    let lines = (openers.text("fds") ?? "").split(separator: "\n")
    for number in [0, 2] { #expect(lines.contains { $0.hasSuffix(" \(number) -> /dev/null") }) }
  }

  @Test("an opener inherits no descriptor and has its own session")
  func descriptors() async throws {
    // Not closed on exec, like FlyingSocks's sockets.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(listener >= 3)
    defer { close(listener) }
    try openers.opener("xdg-open", then: "ls -l /proc/$$/fd > $HERE/fds; cut -d' ' -f1,6 /proc/$$/stat > $HERE/session")
    _ = try await openers.browser().open(url)
    // The shell's own descriptors, its script and saved copies, are 10 and above, and not sockets.
    let lines = try #require(openers.text("fds")).split(separator: "\n")
    #expect(lines.count > 3)
    for line in lines {
      #expect(!line.contains("socket:"))
      #expect(!(3...9).contains { line.contains(" \($0) -> ") })
    }
    let session = try #require(openers.text("session")).split(whereSeparator: \.isWhitespace)
    #expect(session.count == 2 && session.first == session.last)
  }

  @Test("--browser precedes $BROWSER, which is tried if it fails")
  func command() async throws {
    try openers.opener("first", then: "exit 1")
    try openers.opener("second")
    let browser = openers.browser("first --new-window", ["BROWSER": "second"])
    #expect(try await browser.open(url) == "second")
    #expect(openers.arguments("first") == ["--new-window", url.absoluteString])
  }

  @Test(
    "xdg-open isn't run for $BROWSER under any name, and no program gets the variable, which could be itself",
    arguments: ["xdg-open", "open", "open %s", "HERE/open:xdg-open", "HERE/other/browser"]
  )
  func opensItself(variable: String) async throws {
    let variable = variable.replacing("HERE", with: openers.folder.path)
    for name in ["xdg-open", "mine"] { try openers.opener(name, then: "echo ${BROWSER-unset} > $HERE/variable") }
    try FileManager.default.createDirectory(atPath: openers.path("other"), withIntermediateDirectories: true)
    for link in ["open", "other/browser"] { symlink(openers.path("xdg-open"), openers.path(link)) }
    let rejection = await failure(openers.browser(nil, ["BROWSER": variable]), url)
    #expect(rejection == .noDisplay("a text session without a display"))
    #expect(!SystemBrowser.isChosen(in: ["PATH": openers.folder.path, "BROWSER": variable]))
    for (command, expected) in [(nil, "mine"), ("xdg-open", "xdg-open")] as [(String?, String)] {
      #expect(try await openers.browser(command, ["BROWSER": variable + ":mine"]).open(url) == expected)
      #expect(openers.arguments(expected) == [url.absoluteString])
      #expect(openers.text("variable") == "unset\n")
    }
  }

  @Test("without a display, a configured command still runs", arguments: [true, false])
  func forwarded(isFlag: Bool) async throws {
    try openers.opener("forward")
    let browser = openers.browser(isFlag ? "forward" : nil, isFlag ? [:] : ["BROWSER": "forward"])
    #expect(try await browser.open(url) == "forward")
  }

  @Test("without a display and a command, nothing is started")
  func noDisplay() async throws {
    try openers.opener("xdg-open")
    let error = await failure(openers.browser(nil, ["SSH_TTY": "/dev/pts/0"]), url)
    #expect(error == .noDisplay("an SSH session without a display"))
    #expect(openers.arguments("xdg-open") == nil)
  }

  @Test("the activation token is passed to the opener")
  func activation() async throws {
    try openers.opener("xdg-open", then: "echo \"$XDG_ACTIVATION_TOKEN\" > $HERE/token")
    _ = try await openers.browser(nil, ["DISPLAY": ":9", "XDG_ACTIVATION_TOKEN": "tok"]).open(url)
    #expect(openers.text("token") == "tok\n")
  }

  @Test("under WSL, Windows programs open the address", arguments: ["rundll32.exe", "wslview"])
  func wsl(program: String) async throws {
    try openers.opener(program)
    try openers.opener("xdg-open")
    let browser = openers.browser(nil, ["WSL_INTEROP": "/run/WSL/1_interop"])
    #expect(try await browser.open(url) == program)
    #expect(openers.arguments(program)?.last == url.absoluteString)
    #expect(openers.arguments("xdg-open") == nil)
  }

  @Test("the openers' order depends on the session")
  func order() async throws {
    func names(_ environment: [String: String], _ command: String? = nil) async throws -> [String] {
      try await openers.browser(command, environment).programs().map(\.name)
    }
    let desktop = ["xdg-open", "gio", "x-www-browser", "sensible-browser"]
    let windows = ["rundll32.exe", "/mnt/c/Windows/System32/rundll32.exe", "wslview"]
    #expect(try await names(["DISPLAY": ":0"]) == desktop)
    #expect(try await names(["WSL_INTEROP": "/run/x"]) == windows)
    // With WSLg, an installed Linux browser has priority.
    #expect(try await names(["WSL_INTEROP": "/run/x", "DISPLAY": ":0"]) == desktop + windows)
    try openers.opener("mine")
    #expect(try await names(["BROWSER": "a:b %s", "DISPLAY": ":0"], "mine -x") == ["mine", "a", "b"] + desktop)
    // Visual Studio Code's terminal forwards the address to the remote computer's user.
    #expect(try await names(["VSCODE_IPC_HOOK_CLI": "/run/x", "BROWSER": "/x/browser.sh"]) == ["/x/browser.sh"])
  }

  @Test("relative directories in PATH are ignored")
  func relativePath() async throws {
    try openers.opener("xdg-open")
    #expect(findProgram("sh", path: ".:bin::/bin") == "/bin/sh")
    #expect(findProgram("sh", path: "bin:.") == nil)
    #expect(findProgram("xdg-open", path: openers.folder.path) == openers.path("xdg-open"))
  }

  @Test("variables and commands are split by bytes, even before a combining mark")
  func combiningMarks() throws {
    try openers.opener("xdg-open")
    #expect(findProgram("xdg-open", path: "\(openers.folder.path):\u{301}") == openers.path("xdg-open"))
    #expect(BrowserCommand.list("one:\u{301}two").map(\.program) == ["one", "\u{301}two"])
    let address = try WebURL(opening: url)
    let arguments = BrowserCommand("b", ["--to=%s\u{301}", "%%\u{301}s"]).arguments(for: address)
    #expect(arguments == ["--to=\(address.string)\u{301}", "%\u{301}s"])
  }
}

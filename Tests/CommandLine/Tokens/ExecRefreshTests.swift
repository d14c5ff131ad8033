@testable import DemoProvider
import Synchronization
import TestSupport
import Testing

@Suite("renewals for the command of exec", .limitedConcurrency)
struct ExecRefreshTests {
  /// Delays a refresh's response until its action is done.
  private final class DelayedRefresh: Sendable {
    let action = Mutex<(@Sendable () -> Void)?>(nil)
    private let finished = Mutex(false)

    var isDone: Bool { finished.withLock { $0 } }

    func delay(_ request: RecordedRequest) {
      guard request["grant_type"] == "refresh_token", let action = action.withLock({ $0.take() }) else { return }
      action()
      finished.withLock { $0 = true }
    }
  }

  @Test("the file gets a new token before the old one expires")
  func renewal() async throws {
    // Renewed tokens are as short-lived, so it doesn't matter whether exec already had to renew the first one.
    let fixture = try await DemoProviderFixture(DemoOptions(accessTokenLifetime: 4, rotates: true), signedIn: "ada")
    let script = #"""
      first=$(cat "$MSAUTH_TOKEN_FILE"); echo "$first"
      while [ "$(cat "$MSAUTH_TOKEN_FILE")" = "$first" ]; do sleep 0.2; done
      cat "$MSAUTH_TOKEN_FILE"
      """#
    let outcome = try await fixture.run("exec", "--", "sh", "-c", script)
    let tokens = outcome.stdout.split(separator: "\n")
    #expect(outcome.code == 0 && outcome.stderr.isEmpty && Set(tokens).count == 2, "\(outcome)")
    #expect(tokens.allSatisfy { $0.hasPrefix("demo-at-") }, "\(outcome)")
    try await eventually("the file's removal") { fixture.home.files(below: "run/msauth/exec").isEmpty }
  }

  @Test("a token that can't be written, as on a full disk, is written as soon as possible")
  func laterWrite() async throws {
    var fixture = try await DemoProviderFixture(signedIn: "ada")
    // The renewal process, whose descriptor 0 is the command's, waits until the file can't be replaced.
    let library = try await PreloadedLibrary(
      """
      #include <string.h>
      #include <unistd.h>
      __attribute__((constructor)) static void wait_for_command(void) {
        char link[64] = "";
        if (readlink("/proc/self/fd/0", link, sizeof link - 1) > 0 && strstr(link, "pidfd"))
          while (access("blocked", F_OK) != 0) usleep(10000);
      }

      """,
      in: fixture.home
    )
    fixture.runner.environment = library.environment
    let script = #"""
      token=$(cat "$MSAUTH_TOKEN_FILE"); rm "$MSAUTH_TOKEN_FILE"; mkdir -p "$MSAUTH_TOKEN_FILE/x" blocked
      until grep -q "couldn't refresh the command's token" errors; do sleep 0.1; done
      rm -r "$MSAUTH_TOKEN_FILE"
      until [ -s "$MSAUTH_TOKEN_FILE" ]; do sleep 0.1; done
      [ "$(cat "$MSAUTH_TOKEN_FILE")" = "$token" ]
      """#
    let exec = #"exec "$@" 2> errors"#
    let command = try [BuiltProducts.msauth, "exec"] + fixture.identity + ["--", "sh", "-c", script]
    try await fixture.runner.run(program: ["sh", "-c", exec, "sh"] + command).expect(0)
    #expect(fixture.home.read("home/errors")?.split(separator: "\n").count == 1)
  }

  /// How the renewal process ends.
  enum Termination: CaseIterable {
    case command, signal
  }

  @Test(
    "an interrupted refresh removes the file at once, and stores the new refresh token",
    arguments: Termination.allCases
  )
  func inFlight(_ end: Termination) async throws {
    let refresh = DelayedRefresh()
    var options = DemoOptions(accessTokenLifetime: 4, rotates: true)
    options.onRequest = refresh.delay
    var fixture = try await DemoProviderFixture(options, signedIn: "ada")
    // Every process records its ID, since the renewal process has no other trace.
    let numbers = fixture.home.path("numbers")
    let library = try await PreloadedLibrary(
      """
      #include <fcntl.h>
      #include <stdio.h>
      #include <unistd.h>
      __attribute__((constructor)) static void note(void) {
        int file = open("\(numbers)", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        dprintf(file, "%d\\n", getpid());
        close(file);
      }

      """,
      in: fixture.home
    )
    fixture.runner.environment = library.environment
    let child = try fixture.start(["exec", "--", "/bin/sleep", "1000"])
    let renewal = try await eventually("the renewal process") {
      fixture.home.read("numbers")?.split(separator: "\n").compactMap { pid_t($0) }.first { $0 != child.pid }
    }
    let (home, deadline) = (fixture.home, Deadline.after(stepTimeout))
    refresh.action.withLock {
      $0 = {
        kill(end == .command ? child.pid : renewal, SIGTERM)
        while !home.files(below: "run/msauth/exec").isEmpty, !deadline.isOver { usleep(10_000) }
      }
    }
    try await eventually("the refresh") { refresh.isDone }
    #expect(fixture.home.files(below: "run/msauth/exec").isEmpty)
    child.signal(SIGTERM)
    _ = try await child.end()
    try await fixture.run("token", "--force-refresh").expect(0)
  }
}

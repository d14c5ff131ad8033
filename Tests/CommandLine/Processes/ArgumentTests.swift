import TestSupport
import Testing

@Suite("the program's arguments", .limitedConcurrency)
struct ArgumentTests {
  @Test("arguments are found even if a preloaded library has moved the environment")
  func movedEnvironment() async throws {
    let home = try Home()
    let library = try await PreloadedLibrary(
      """
      #include <stdlib.h>
      __attribute__((constructor)) static void start(void) { setenv("ADDED", "1", 1); }

      """,
      in: home
    )
    let runner = CommandRunner(home: home, environment: library.environment)
    try await runner.run("token").expect(78, "there is no client ID", stdout: "")
    try await runner.run("status", "--nonsense").expect(64, "--nonsense", stdout: "")
  }
}

import TestSupport
import Testing

@Suite("the program's arguments", .limitedConcurrency)
struct ArgumentTests {
  @Test("they're found even if a preloaded library has moved the environment")
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
    let token = try await runner.run("token")
    #expect(token.code == 78 && token.stdout.isEmpty && token.stderr.contains("there is no client ID"), "\(token)")
    let unknown = try await runner.run("status", "--nonsense")
    #expect(unknown.code == 64 && unknown.stdout.isEmpty && unknown.stderr.contains("--nonsense"), "\(unknown)")
  }
}

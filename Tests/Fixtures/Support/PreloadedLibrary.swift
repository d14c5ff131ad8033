/// A C library whose functions take the place of the system's in a started program (ld.so(8), `LD_PRELOAD`).
package struct PreloadedLibrary: Sendable {
  /// What the program needs in its environment.
  package let environment: [String: String]

  /// Compiles the library.
  ///
  /// - Parameters:
  ///   - source: C.
  ///   - home: Where the library is built.
  /// - Throws: ``TestFailure`` when the compiler refuses it.
  package init(_ source: String, in home: Home) async throws {
    let library = home.path("preloaded.so")
    let compiler = try ChildProcess(
      ["cc", "-shared", "-fPIC", "-o", library, home.write(source, to: "preloaded.c")],
      environment: home.environment
    )
    guard try await compiler.end() == .exited(0) else { throw TestFailure("cc: \(compiler.stderr)") }
    environment = ["LD_PRELOAD": library]
  }

  /// No file can be locked, as on a network file system whose lock service is down.
  package static let noLocks = "#include <errno.h>\nint flock(int file, int how) { errno = ENOLCK; return -1; }\n"
  /// Every lock is had at once: no other machine, or no other mount, knows of it.
  package static let localLocks = "int flock(int file, int how) { return 0; }\n"
}

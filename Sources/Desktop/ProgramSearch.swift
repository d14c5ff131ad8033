import Glibc

/// Finds a program as a shell would.
enum ProgramSearch {
  /// Where programs are when `PATH` is not set.
  private static let usualPath = "/usr/local/bin:/usr/bin:/bin"

  /// - Parameters:
  ///   - program: A name, or a path with a slash in it.
  ///   - path: The value of `PATH`; its relative folders are not searched, since anybody may own the one we are in.
  /// - Returns: The path of an executable file, nil when there is none.
  static func find(_ program: String, path: String?) -> String? {
    guard !program.isEmpty, !program.utf8.contains(0) else { return nil }
    if program.contains("/") { return isExecutableFile(program) ? program : nil }
    return (path ?? usualPath).split(separator: ":").lazy
      .filter { $0.hasPrefix("/") }
      .map { "\($0)/\(program)" }
      .first(where: isExecutableFile)
  }

  private static func isExecutableFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
}

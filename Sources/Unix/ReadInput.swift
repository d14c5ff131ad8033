import Glibc

/// Reads what a person names as input, such as a file or a pipe, to its end; waits for a pipe's writer.
package func readInput(at path: String, limit: Int) throws(FileError) -> [UInt8] {
  if path == "-" { return try readAll(STDIN_FILENO, limit: limit, "standard input") }
  guard !path.utf8.contains(0) else { throw FileError(.invalidPath, path) }
  let descriptor = retryingInterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
  guard descriptor >= 0 else {
    throw [ENOENT, ENOTDIR].contains(errno) ? FileError(.missing, path) : .system(path)
  }
  defer { close(descriptor) }
  return try readAll(descriptor, limit: limit, path)
}

/// Waits for the next bytes of standard input.
package func readInput(maximum: Int) -> [UInt8] {
  (try? readSome(STDIN_FILENO, maximum: maximum, "standard input")) ?? []
}

import Glibc

/// Repeats a system call that a signal interrupts (signal(7)), as happens on network file systems and FUSE.
package func retryingInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

func readAll(_ descriptor: Int32, expecting size: Int = 0, limit: Int, _ path: String) throws(FileError) -> [UInt8] {
  // One more than expected: one call reads the file, the next finds its end.
  var bytes = try readSome(descriptor, maximum: max(size + 1, 4 << 10), path)
  while true {
    guard bytes.count <= limit else { throw FileError(.tooLarge(limit: limit), path) }
    let more = try readSome(descriptor, maximum: 64 << 10, path)
    if more.isEmpty { return bytes }
    bytes += more
  }
}

func readSome(_ descriptor: Int32, maximum: Int, _ path: String) throws(FileError) -> [UInt8] {
  var code: Int32 = 0
  let bytes = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
    let result = retryingInterrupted { read(descriptor, buffer.baseAddress, maximum) }
    if result < 0 { code = errno }
    count = max(0, result)
  }
  guard code == 0 else { throw FileError(.system(code), path) }
  return bytes
}

/// Reads a file, a pipe or `-` to its end; waits for a pipe's writer.
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

/// Waits for the next bytes of standard input; empty at its end.
package func readStandardInput(maximum: Int) -> [UInt8] {
  (try? readSome(STDIN_FILENO, maximum: maximum, "standard input")) ?? []
}

/// Reads a descriptor up to the first line feed, or its end, and closes it; blocks.
package func readLine(from descriptor: Int32) -> [UInt8] {
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  while !bytes.contains(UInt8(ascii: "\n")), let more = try? readSome(descriptor, maximum: 4096, "a pipe"),
    !more.isEmpty
  {
    bytes += more
  }
  return bytes
}

/// Writes all bytes, waiting while the reader doesn't read; returns the error number of a failure.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest = rest.dropFirst(count)
      continue
    }
    switch errno {
    case EINTR: continue
    case EAGAIN:
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&ready, 1, -1)
    case let error: return error
    }
  }
  return nil
}

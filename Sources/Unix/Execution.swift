import CMSAuthLinux
import Glibc

/// What this process becomes, or leaves behind.
package enum Execution {
  /// The descriptors beyond the standard ones that were open at the start and go to a program that this one becomes.
  package static var inheritedDescriptors: Set<Int32> {
    Set((3..<maximumDescriptor).filter { fcntl($0, F_GETFD) == 0 })
  }

  /// Enough for what a shell hands on, and what this program opens.
  private static let maximumDescriptor: Int32 = 1024

  /// Starts another detached instance of this program, to run beside the program that this process becomes.
  ///
  /// Its output is discarded, or goes to a descriptor.
  package static func startBeside(
    _ arguments: [String],
    keeping kept: Int32,
    output: Int32 = -1
  ) throws(FileError) {
    let program = "/proc/self/exe"
    let process = linux_open_self()
    guard process >= 0 else { throw .system(program) }
    defer { close(process) }
    let error = withCStrings(["msauth"] + arguments) { linux_start_detached(program, $0, process, output, kept) }
    guard error == 0 else { throw FileError(.system(error), program) }
  }

  /// Starts it so that its output can be read from the descriptor that is returned.
  package static func startBesideForOutput(_ arguments: [String], keeping kept: Int32) throws(FileError) -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .system("pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    do {
      try startBeside(arguments, keeping: kept, output: ends[1])
    } catch {
      close(ends[0])
      throw error
    }
    return ends[0]
  }

  /// Whether this process was started by ``startBeside(_:keeping:)``: descriptor 0 is another process (pidfd_open(2)).
  static var isBesideOtherProcess: Bool {
    var information = siginfo_t()
    // The other process is not a child of this one.
    return waitid(P_PIDFD, id_t(STDIN_FILENO), &information, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD
  }

  /// Waits for the end of the process that started this one by ``startBeside(_:keeping:)``; blocks.
  package static func waitForOtherProcess() {
    var end = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while poll(&end, 1, -1) < 0, errno == EINTR {}
  }

  /// Becomes another program, which takes signals and descriptors as if it had been started in our place; each change is
  /// a variable to set (`NAME=value`) or to remove (`NAME`).
  package static func become(
    _ path: String,
    _ arguments: [String],
    changing variables: [String],
    keeping descriptors: Set<Int32>
  ) -> FileError {
    for descriptor in 3..<maximumDescriptor where fcntl(descriptor, F_GETFD) >= 0 {
      _ = fcntl(descriptor, F_SETFD, descriptors.contains(descriptor) ? 0 : FD_CLOEXEC)
    }
    let taken = Interruption.takenSignals
    linux_reset_signals(taken, taken.count)
    let error = withCStrings(variables) { variables in
      withCStrings(arguments) { linux_become(path, $0, variables) }
    }
    return FileError(.system(error), path)
  }

  /// A file in memory alone that holds these bytes and cannot be changed.
  package static func sealedFile(_ bytes: [UInt8]) throws(FileError) -> Int32 {
    let descriptor = linux_sealed_file("msauth", bytes, bytes.count)
    guard descriptor >= 0 else { throw .system("memfd") }
    return descriptor
  }

  /// Hands C a list of strings that ends with a null pointer.
  private static func withCStrings<Result>(
    _ strings: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { preconditionFailure("an array with an element has an address") }
      return body(start)
    }
  }
}

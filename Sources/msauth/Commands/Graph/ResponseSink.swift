import Glibc
import MSAuth
import MSAuthUnix
import Synchronization

/// Stores a response's body as it arrives, in a file or in memory.
final class ResponseSink: Sendable {
  private let path: String?
  private let descriptor: Int32
  private let isNew: Bool
  private let state = Mutex((count: 0, content: [UInt8](), error: FileError?.none, isFinished: false))

  /// Opens the file; its content stays until a response arrives.
  init(to path: String?) throws(AuthenticationError) {
    self.path = path
    // A named pipe without a reader would block the thread.
    let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    let new = path.map { open($0, flags | O_CREAT | O_EXCL, 0o666) } ?? -1
    isNew = new >= 0
    descriptor = isNew ? new : path.map { open($0, flags | O_CREAT, 0o666) } ?? -1
    if descriptor >= 0 { _ = fcntl(descriptor, F_SETFL, O_WRONLY) }
    guard let path, descriptor < 0 else { return }
    let error = FileError(.system(errno), path)
    throw .usage("--output: \(error)", hint: error.hint ?? "name a file in a directory that you can write to")
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  var count: Int { state.withLock { $0.count } }
  var content: [UInt8] { state.withLock { $0.content } }

  func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      // Fails for a pipe or a device, which has no old content.
      if state.count == 0 { _ = ftruncate(descriptor, 0) }
      state.count += piece.count
      if let path {
        state.error = writeAll(Array(piece), to: descriptor).map { FileError(.system($0), path) }
      } else {
        state.content += piece
        if state.count > PublicClientApplication.maximumResponseSize {
          state.error = FileError(.tooLarge(limit: PublicClientApplication.maximumResponseSize), "the response")
        }
      }
      return state.error == nil
    }
  }

  /// Removes the file if it is new and no response arrived, or reports that it is incomplete.
  ///
  /// Not in `deinit`, since the transfer's thread may keep this object.
  func discardIncomplete() {
    guard let path, !state.withLock({ $0.isFinished }) else { return }
    if count > 0 {
      Console.notice("\(path.printable(limit: 200)) has only the first \(count) bytes")
    } else if isNew {
      unlink(path)
    }
  }

  /// Ends the content; throws if it isn't complete.
  func finish() throws(AuthenticationError) {
    let (count, error) = state.withLock { state in
      state.isFinished = true
      return (state.count, state.error)
    }
    if count == 0 { _ = ftruncate(descriptor, 0) }
    guard let error else { return }
    let hint: Hint = path == nil ? "save the response to a file with --output" : "name another file with --output"
    let message = "\(error); the response isn't complete"
    throw AuthenticationError(.internalError, message, reason: "output_failed", hint: error.hint ?? hint)
  }
}

import Core
import Glibc
import Synchronization
import Unix

/// Writes lines to stdout in the order in which they are sent, on a thread of its own.
final class MessageWriter: Sendable {
  private let lines: AsyncStream<[UInt8]>
  private let incoming: AsyncStream<[UInt8]>.Continuation
  private let writing: Task<Void, Never>

  init() {
    let (lines, incoming) = AsyncStream<[UInt8]>.makeStream()
    (self.lines, self.incoming) = (lines, incoming)
    writing = Task.detached {
      for await line in lines {
        let error = await BackgroundThread.run { _ in
          Console.write(line + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
        }
        // Nobody reads any more, which the end of the input tells too.
        if error != nil { return }
      }
    }
  }

  /// Sends a line.
  func send(_ line: [UInt8]) { incoming.yield(line) }

  /// Waits until all is written.
  func finish() async {
    incoming.finish()
    await writing.value
  }
}

import Foundation
import Glibc

/// Ctrl-C during the tour.
enum Interruption {
  /// The end of a pipe that the signal's handler may write to: writing is what a handler can do safely (signal-safety(7)).
  nonisolated(unsafe) private static var pipeEnd: Int32 = -1

  /// Has the tour put its things away when it is interrupted or told to end.
  ///
  /// - Parameter cleanUp: What to do before the process ends.
  static func clean(_ cleanUp: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    pipeEnd = ends[1]
    let reading = ends[0]
    // Handlers, unlike ignored signals, are not passed on to msauth.
    for signal in [SIGINT, SIGTERM] {
      Glibc.signal(signal) { number in
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(Interruption.pipeEnd, &byte, 1)
      }
    }
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(reading, &byte, 1) != 1 {}
      cleanUp()
      exit(128 + Int32(byte))
    }
  }
}

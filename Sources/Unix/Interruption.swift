import CLinux
import Dispatch
import Glibc
import Synchronization

/// Ctrl-C, SIGTERM and SIGHUP: the first one lets the flow close its listener and release its locks, a second one ends at once.
package final class Interruption: Sendable {
  private let received = Atomic<Int32>(0)
  /// The signals that are taken here instead of ending the process.
  private static let taken = Mutex<[Int32]>([])
  // Written in init alone, kept so that the sources live.
  nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

  /// Begins to listen for the signals.
  ///
  /// - Parameter cancel: What to do at the first one.
  package init(_ cancel: @escaping @Sendable () -> Void) {
    // A signal that was ignored at the start stays ignored, as nohup(1) and a shell without job control want it.
    for number in [SIGINT, SIGTERM, SIGHUP] where !linux_ignores_signal(number) {
      signal(number, SIG_IGN)
      Self.taken.withLock { $0.append(number) }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [weak self] in
        guard let self else { return }
        if received.exchange(number, ordering: .relaxed) != 0 { _exit(128 + number) }
        cancel()
      }
      source.resume()
      sources.append(source)
    }
  }

  /// The signals that another program in this process's place has to take itself.
  static var takenSignals: [Int32] { taken.withLock { $0 } }

  /// 128 and the signal's number, when there was one.
  package var status: Int32? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : 128 + number
  }
}

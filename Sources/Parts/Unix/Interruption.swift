import CMSAuthLinux
import Glibc
import MSAuthCore
import Synchronization

/// Handles Ctrl-C, SIGTERM and SIGHUP: the first cancels the work, a second, after the grace period, ends the process.
///
/// Neither cuts shielded work short, such as a refresh whose request was sent. The main thread waits for the signals, so no
/// other thread or descriptor is needed before one arrives.
package enum Interruption {
  private static let received = Atomic<Int32>(0)
  /// When the first signal arrived, in nanoseconds of the monotonic clock.
  private static let arrival = Atomic<Int64>(0)
  private static let handled = Mutex<[Int32]>([])
  /// Never freed: a signal may arrive at any time.
  nonisolated(unsafe) private static let semaphore = {
    let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
    return semaphore
  }()
  /// How long canceled work may take, in microseconds; then the process ends.
  private static let grace: useconds_t = 100_000
  /// How long shielded work may take after the first signal, in nanoseconds.
  private static var shieldLimit: Int64 { CancellationShield.maximumSeconds * 1_000_000_000 }
  /// Nanoseconds before a message explains why the command is still running.
  private static let noticeDelay: Int64 = 500_000_000

  /// Installs the handlers.
  package static func begin() {
    // Initialized before the first signal, since a handler can't do that.
    _ = (semaphore, received.load(ordering: .relaxed), arrival.load(ordering: .relaxed), CancellationShield.isUp)
    // A signal that was ignored at the start stays ignored, as nohup(1) and shells without job control require.
    for number in [SIGINT, SIGTERM, SIGHUP] where !linux_ignores_signal(number) {
      handled.withLock { $0.append(number) }
      signal(number) { Interruption.receive($0) }
    }
  }

  /// The signals to reset before another program replaces this one.
  package static var handledSignals: [Int32] { handled.withLock { $0 } }

  /// Handles a signal: clock_gettime(2) and sem_post(3) are among the few calls that a handler may make (signal-safety(7)).
  private static func receive(_ number: Int32) {
    let now = now
    guard received.load(ordering: .acquiring) == 0 else {
      let elapsed = now - arrival.load(ordering: .relaxed)
      if endsProcess(after: elapsed, isShielded: CancellationShield.isUp) { _exit(128 + number) }
      return
    }
    arrival.store(now, ordering: .relaxed)
    received.store(number, ordering: .releasing)
    sem_post(semaphore)
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Whether a second signal, that many nanoseconds after the first, ends the process at once.
  ///
  /// timeout(1) sends two in a row: to the process, and to its group.
  static func endsProcess(after elapsed: Int64, isShielded: Bool) -> Bool {
    elapsed >= (isShielded ? shieldLimit : Int64(grace) * 1000)
  }

  /// 128 plus the number of the signal that arrived, if any.
  package static var status: Int32? {
    takePending()
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : 128 + number
  }

  /// Runs the handler of a pending signal: Ctrl-C also ends a child on the terminal, whose end may be noticed first.
  ///
  /// Changing the mask makes the kernel check for signals to the process (sigpending(2) reports only blocked ones).
  private static func takePending() {
    var (signals, before) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    for number in handledSignals { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Waits for a signal, cancels the work, and returns after a grace period and the end of shielded work; calls `onDelay`
  /// if that takes long.
  package static func wait(_ cancel: @escaping @Sendable () -> Void, onDelay: () -> Void = {}) {
    while sem_wait(semaphore) != 0, errno == EINTR {}
    let begin = now
    // A canceled task may start others, which waits for a thread, forever if the system has none.
    let isCanceled = OneShot<Void>()
    _ = BackgroundThread.start {
      cancel()
      isCanceled.resume(())
    }
    var isReported = false
    repeat {
      while usleep(grace) != 0, errno == EINTR {}
      if !isReported, CancellationShield.isUp, now - begin >= noticeDelay {
        onDelay()
        isReported = true
      }
    } while (CancellationShield.isUp || isCanceled.current == nil) && now - begin < shieldLimit
  }
}

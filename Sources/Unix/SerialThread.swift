import Dispatch
import Glibc
import Synchronization

/// A thread that runs the tasks of a short program one after the other.
///
/// For its first task, Swift's pool starts four threads, and each step of a task may go on in another of them: that takes
/// longer than to read a token from a file. What blocks belongs on a thread of its own here too (``BackgroundThread``).
package final class SerialThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let count = DispatchSemaphore(value: 0)

  /// Starts the thread.
  package static func start() -> SerialThread? {
    let thread = SerialThread()
    return BackgroundThread.start { thread.run() } ? thread : nil
  }

  /// Whether the caller runs on such a thread.
  static var isCurrent: Bool { pthread_getspecific(mark) != nil }

  /// What only these threads have set.
  private static let mark: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private init() {}

  /// Takes a part of a task, to be run when those before it have been.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    count.signal()
  }

  private func run() {
    pthread_setspecific(Self.mark, Unmanaged.passUnretained(self).toOpaque())
    while true {
      count.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

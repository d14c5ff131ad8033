import CMSAuthLinux
import Dispatch
import Glibc
package import MSAuthCore
import Synchronization

/// A thread that runs a short program's tasks one after another.
///
/// Swift's pool starts four threads for the first task, and each step of a task may continue on another thread; each
/// has its own heap. Without this, a cached token takes 14 % longer.
package final class SerialThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let count = DispatchSemaphore(value: 0)

  /// Starts the thread, and has all threads share one heap.
  package static func start() throws(AuthenticationError) -> SerialThread {
    _ = mallopt(M_ARENA_MAX, 1)
    let thread = SerialThread()
    guard BackgroundThread.start({ thread.run() }) else { throw .noThread }
    return thread
  }

  static var isCurrent: Bool { pthread_getspecific(mark) != nil }

  /// Set only on these threads.
  private static let mark: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private init() {}

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

import Dispatch
import Synchronization

/// A thread that runs the tasks of a short program one after the other.
///
/// For its first task, Swift's pool starts four threads, and each step of a task may go on in another of them: that takes
/// longer than to read a token from a file. What blocks belongs on a thread of its own here too (``BackgroundThread``).
package final class SerialThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let count = DispatchSemaphore(value: 0)

  /// Starts the thread.
  ///
  /// - Returns: The thread, which lives as long as the process; nil when the system had none to give.
  package static func start() -> SerialThread? {
    let thread = SerialThread()
    return BackgroundThread.start { thread.run() } ? thread : nil
  }

  private init() {}

  /// Takes a part of a task, to be run when those before it have been.
  ///
  /// - Parameter job: The part.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    count.signal()
  }

  private func run() {
    while true {
      count.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

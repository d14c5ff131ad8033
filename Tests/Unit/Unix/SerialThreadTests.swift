import Dispatch
import Glibc
import Synchronization
import Testing

@testable import MSAuthUnix

@Suite("a thread for all tasks of a program")
struct SerialThreadTests {
  /// What ran, where, and whether anything else ran meanwhile.
  private final class Recorder: Sendable {
    let order = Mutex<[Int]>([])
    let threads = Mutex<Set<pthread_t>>([])
    let overlapped = Atomic<Bool>(false)
    private let isRunning = Atomic<Bool>(false)

    func note(_ number: Int) {
      if isRunning.exchange(true, ordering: .sequentiallyConsistent) {
        overlapped.store(true, ordering: .sequentiallyConsistent)
      }
      order.withLock { $0.append(number) }
      _ = threads.withLock { $0.insert(pthread_self()) }
      isRunning.store(false, ordering: .sequentiallyConsistent)
    }
  }

  @Test("parts of tasks run one after the other on one thread, in the order in which they became ready")
  func order() async throws {
    let thread = try #require(SerialThread.start())
    let recorder = Recorder()
    // From the thread itself, so that all are waiting before the first of them runs.
    await Task(executorPreference: thread) {
      await withTaskGroup { group in
        for number in 0..<100 {
          group.addTask {
            recorder.note(number)
            await Task.yield()
            recorder.note(100 + number)
          }
        }
      }
    }.value
    #expect(recorder.order.withLock { $0 } == Array(0..<200))
    #expect(recorder.threads.withLock { $0.count } == 1 && !recorder.overlapped.load(ordering: .relaxed))
  }

  @Test("a task that waits for work that blocks leaves it free for the others")
  func blocking() async throws {
    let thread = try #require(SerialThread.start())
    let gate = DispatchSemaphore(value: 0)
    let waited = await Task(executorPreference: thread) {
      async let waited = BackgroundThread.run { _ in gate.wait(timeout: .now() + 60) }
      async let opened: Void = { _ = gate.signal() }()
      await opened
      return await waited
    }.value
    #expect(waited == .success)
  }

  @Test("what takes as long as a file to read stays on it, and goes elsewhere from any other thread")
  func brief() async throws {
    let thread = try #require(SerialThread.start())
    let isSame = await Task(executorPreference: thread) {
      let caller = pthread_self()
      return await BackgroundThread.runBriefly { _ in pthread_self() } == caller
    }.value
    #expect(isSame)
    #expect(await BackgroundThread.runBriefly { _ in SerialThread.isCurrent } == false)
    let wasCancelled = await Task(executorPreference: thread) {
      withUnsafeCurrentTask { $0?.cancel() }
      return await BackgroundThread.runBriefly { $0.isRaised }
    }.value
    #expect(wasCancelled)
  }
}

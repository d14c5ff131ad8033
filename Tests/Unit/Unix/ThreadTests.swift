import Dispatch
import Glibc
import MSAuthCore
import Synchronization
import Testing

@testable import MSAuthUnix

@Suite("background threads")
struct BackgroundThreadTests {
  private struct Failure: Error, Equatable {}

  @Test("work runs on another thread and returns its value")
  func value() async {
    let caller = pthread_self()
    let (thread, value) = await BackgroundThread.run { _ in (pthread_self(), 42) }
    #expect(value == 42 && pthread_equal(caller, thread) == 0)
  }

  @Test("the work's error is thrown with its type")
  func failure() async {
    await #expect(throws: Failure()) { try await BackgroundThread.run { _ throws(Failure) -> Int in throw Failure() } }
  }

  @Test("a cancellation is passed to the work, which is still waited for")
  func cancellation() async {
    let task = Task {
      await BackgroundThread.run { cancellation in
        while !cancellation.isRaised { usleep(1000) }
        return "ended"
      }
    }
    task.cancel()
    #expect(await task.value == "ended")
  }

  @Test("on request, work is abandoned at a cancellation, and its handler ends it")
  func abandoning() async {
    let end = Cancellation()
    let hasBegun = AsyncStream<Void>.makeStream()
    let hasReturned = AsyncStream<Void>.makeStream()
    await withTaskGroup(of: Int?.self) { group in
      group.addTask {
        await BackgroundThread.runAbandoning {
          hasBegun.continuation.finish()
          // Returns nothing before the handler was called.
          while !end.isRaised { usleep(1000) }
          hasReturned.continuation.finish()
          return 1
        } onCancel: {
        }
      }
      for await _ in hasBegun.stream {}
      group.cancelAll()
      #expect(await group.next() == .some(nil))
    }
    end.raise()
    for await _ in hasReturned.stream {}
  }

  @Test("work of a canceled task isn't started")
  func canceledBefore() async {
    let hasRun = Cancellation()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await BackgroundThread.runAbandoning { hasRun.raise() }
    }
    #expect(await task.value == nil)
    #expect(!hasRun.isRaised)
  }

  @Test("work that ends before a cancellation returns its value")
  func finishing() async {
    #expect(await BackgroundThread.runAbandoning { "done" } == "done")
  }
}

@Suite("the program's serial thread")
struct SerialThreadTests {
  /// What ran, where, and whether anything else ran at the same time.
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

  @Test("parts of tasks run one after another on one thread, in the order in which they became ready")
  func order() async throws {
    let thread = try SerialThread.start()
    let recorder = Recorder()
    // From the thread itself, so that all wait before the first one runs.
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

  @Test("a task that waits for blocking work leaves the thread free")
  func blocking() async throws {
    let thread = try SerialThread.start()
    let gate = DispatchSemaphore(value: 0)
    let waited = await Task(executorPreference: thread) {
      async let waited = BackgroundThread.run { _ in gate.wait(timeout: .now() + 60) }
      async let opened: Void = { _ = gate.signal() }()
      await opened
      return await waited
    }.value
    #expect(waited == .success)
  }

  @Test("short file work stays on the thread, and moves away from any other thread")
  func brief() async throws {
    let thread = try SerialThread.start()
    let isSame = await Task(executorPreference: thread) {
      let caller = pthread_self()
      return await BackgroundThread.run(isBrief: true) { _ in pthread_self() } == caller
    }.value
    #expect(isSame)
    #expect(await BackgroundThread.run(isBrief: true) { _ in SerialThread.isCurrent } == false)
    let wasCanceled = await Task(executorPreference: thread) {
      withUnsafeCurrentTask { $0?.cancel() }
      return await BackgroundThread.run(isBrief: true) { $0.isRaised }
    }.value
    #expect(wasCanceled)
  }
}

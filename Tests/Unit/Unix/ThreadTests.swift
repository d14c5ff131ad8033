import Dispatch
import Glibc
import MSAuthCore
import Synchronization
import Testing

@testable import MSAuthUnix

@Suite("A background thread")
struct BackgroundThreadTests {
  private struct Failure: Error, Equatable {}

  @Test("runs work on another thread and returns its value")
  func value() async {
    let caller = pthread_self()
    let (thread, value) = await BackgroundThread.run { _ in (pthread_self(), 42) }
    #expect(value == 42)
    #expect(pthread_equal(caller, thread) == 0)
  }

  @Test("hands on what the work throws, with its type")
  func failure() async {
    await #expect(throws: Failure()) {
      try await BackgroundThread.run { _ throws(Failure) -> Int in throw Failure() }
    }
  }

  @Test("reports a cancellation to the work, and waits for it all the same")
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

  @Test("leaves work behind at a cancellation where that is asked for, and ends it by the handler")
  func abandoning() async {
    let end = Cancellation()
    let hasBegun = AsyncStream<Void>.makeStream()
    let hasReturned = AsyncStream<Void>.makeStream()
    await withTaskGroup(of: Int?.self) { group in
      group.addTask {
        await BackgroundThread.runAbandoning {
          hasBegun.continuation.finish()
          // As long as the handler has not been called, this returns nothing.
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

  @Test("does not begin work of a task that was cancelled before")
  func cancelledBefore() async {
    let hasRun = Cancellation()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await BackgroundThread.runAbandoning { hasRun.raise() }
    }
    #expect(await task.value == nil)
    #expect(!hasRun.isRaised)
  }

  @Test("returns the value of work that ends before a cancellation")
  func finishing() async {
    #expect(await BackgroundThread.runAbandoning { "done" } == "done")
  }
}

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

@Suite("A second signal")
struct SecondSignalTests {
  @Test(
    "ends the process at once, but during a refresh only if it does not belong to the same event as the first",
    arguments: [
      (0, false, true), (600, false, true), (0, true, false), (499, true, false), (500, true, true), (3000, true, true),
    ]
  )
  func endsProcess(milliseconds: Int64, isShielded: Bool, ends: Bool) {
    #expect(Interruption.endsProcess(after: milliseconds * 1_000_000, isShielded: isShielded) == ends)
  }
}

@Suite("The user namespace")
struct UserNamespaceTests {
  @Test(
    "it is the initial one if it maps all users to themselves, and where the kernel does not say",
    arguments: [
      ("         0          0 4294967295\n", true), ("         0       1000          1\n", false),
      ("         0          0          1\n", false), ("", true),
    ]
  )
  func initial(map: String, isInitial: Bool) {
    #expect(UserNamespace.isInitial(uidMap: Array(map.utf8)) == isInitial)
  }
}

import Glibc
import MSAuthCore
import MSAuthUnix
import Testing

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

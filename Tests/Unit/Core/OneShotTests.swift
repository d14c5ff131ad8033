import MSAuthCore
import Testing

@Suite("one-shot values", .timeLimit(.minutes(10)))
struct OneShotTests {
  @Test("the first value stays")
  func first() async throws {
    let shot = OneShot<Int>()
    #expect(shot.current == nil)
    #expect(shot.resume(1))
    #expect(!shot.resume(2))
    #expect(shot.current == 1)
    #expect(try await shot.value() == 1)
  }

  @Test("all waiting tasks get the value")
  func waiters() async throws {
    let shot = OneShot<Int>()
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await shot.value() } }
      group.addTask {
        shot.resume(2)
        return 0
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == 100)
  }

  @Test("only one of several concurrent calls sets it")
  func race() async {
    let shot = OneShot<Int>()
    let winners = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<50 { group.addTask { shot.resume(number) } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
  }

  @Test("a canceled task stops waiting, and the others continue")
  func cancellation() async throws {
    let shot = OneShot<Int>()
    let canceled = Task { try await shot.value() }
    let other = Task { try await shot.value() }
    canceled.cancel()
    await #expect(throws: CancellationError.self) { try await canceled.value }
    shot.resume(3)
    #expect(try await other.value == 3)
  }

  @Test("a task canceled before it waits gets a value only if it is set")
  func canceledBefore() async throws {
    let (pending, resolved, go) = (OneShot<Int>(), OneShot<Int>(), OneShot<Void>())
    resolved.resume(4)
    let task = Task {
      try? await go.value()
      let value = try await resolved.value()
      await #expect(throws: CancellationError.self) { try await pending.value() }
      return value
    }
    task.cancel()
    #expect(try await task.value == 4)
  }
}

@Suite("timeouts", .timeLimit(.minutes(10)))
struct TimeoutTests {
  @Test("work that ends in time returns its value")
  func inTime() async throws {
    #expect(try await withTimeout(.seconds(60)) { 5 } == 5)
  }

  @Test("work that takes too long is canceled")
  func late() async {
    let never = OneShot<Int>()
    let wasCanceled = OneShot<Bool>()
    await #expect(throws: AuthenticationError.timeout) {
      try await withTimeout(.milliseconds(1)) {
        defer { wasCanceled.resume(Task.isCancelled) }
        return try await never.value()
      }
    }
    #expect(wasCanceled.current == true)
  }

  @Test("the work's error is thrown unchanged")
  func failure() async {
    let error = AuthenticationError(.serverError, "of the work")
    await #expect(throws: error) { try await withTimeout(.seconds(60)) { throw error } }
  }

  @Test("canceling the caller isn't a timeout")
  func cancellation() async {
    let task = Task { try await withTimeout(.seconds(60)) { try await OneShot<Int>().value() } }
    task.cancel()
    await #expect(throws: AuthenticationError.canceled) { try await task.value }
  }
}

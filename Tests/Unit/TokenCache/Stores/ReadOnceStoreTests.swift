import Core
import Testing

@testable import TokenCache

@Suite("A store for one look at it")
struct ReadOnceStoreTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private static let before = #"{"Account": {"a": {"username": "ada"}}}"#
  private static let after = #"{"Account": {"a": {"username": "bob"}}}"#

  @Test("gives one answer, whatever is written meanwhile")
  func oneAnswer() async throws {
    try fixture.write(Self.before)
    let store = ReadOnceStore(fixture.store)
    let first = try await store.load()
    try fixture.write(Self.after)
    #expect(try await store.load() == first)
  }

  @Test("reads again once a lock was asked for, also in vain")
  func readsAgain() async throws {
    try fixture.write(Self.before)
    let store = ReadOnceStore(fixture.store)
    let first = try await store.load()
    let held = try await fixture.store.lock(within: .seconds(20))
    try fixture.write(Self.after)
    await #expect(throws: Failure.self) { try await store.lock(within: .zero) }
    let second = try await store.load()
    #expect(second != first)
    await held.release()
    let lock = try await store.lock(within: .seconds(20))
    try await lock.whileHeld { try await store.save(first, holding: lock) }
    #expect(try await store.load() == first)
  }

  @Test("a failure is no answer")
  func failure() async throws {
    try fixture.write("{}", mode: 0o644)
    let store = ReadOnceStore(fixture.store)
    await #expect(throws: Failure.self) { try await store.load() }
    try fixture.write(Self.before)
    #expect(try await store.load() != TokenCacheDocument())
  }
}

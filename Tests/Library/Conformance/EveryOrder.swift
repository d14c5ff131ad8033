@testable import MSAuthTransport
import Synchronization
import TestSupport

@testable import MSAuth
@testable import MSAuthCache

/// Repeats a run with every combination of choices, depth first.
struct Choices {
  private var chosen: [(index: Int, count: Int)] = []
  private var depth = 0

  /// A number below the count.
  mutating func choose(_ count: Int) -> Int {
    if depth == chosen.count { chosen.append((0, count)) }
    defer { depth += 1 }
    return chosen[depth].index
  }

  /// Begins the next run; returns whether there is one.
  mutating func next() -> Bool {
    depth = 0
    while let last = chosen.popLast() {
      if last.index + 1 < last.count {
        chosen.append((last.index + 1, last.count))
        return true
      }
    }
    return false
  }
}

/// A token cache and a provider that accepts each refresh token once; each process that uses them waits for its turn before
/// every step.
final class World: Sendable {
  struct State {
    var document: TokenCacheDocument
    var refreshToken: String
    /// How many refresh tokens were sent that had been sent before.
    var reused = 0
    /// The lock's owner.
    var owner: Int?
    var killed: Set<Int> = []
    /// Whether another program removed the lock.
    var isLockLost = false
    var waiting: [Int: (step: String, turn: CheckedContinuation<Void, Never>)] = [:]
    /// How many processes neither wait nor have ended.
    var running = 0
    var trace: [String] = []
    var idle: CheckedContinuation<Void, Never>?
  }

  let state: Mutex<State>
  let journal: Journal

  init(_ document: TokenCacheDocument, refreshToken: String, journal: Journal) {
    state = Mutex(State(document: document, refreshToken: refreshToken))
    self.journal = journal
  }

  /// Runs a process until its end, beside the others.
  func start<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
    state.withLock { $0.running += 1 }
    return Task {
      defer { rest { _ in } }
      return try await work()
    }
  }

  /// A process no longer runs; the last one lets the next turn begin.
  private func rest(_ change: (inout State) -> Void) {
    let idle = state.withLock { state in
      change(&state)
      state.running -= 1
      guard state.running == 0 else { return nil as CheckedContinuation<Void, Never>? }
      defer { state.idle = nil }
      return state.idle
    }
    idle?.resume()
  }

  /// Waits for this process's turn; what a killed process does after that has no effect.
  func step(_ process: Int, _ step: String) async throws(AuthenticationError) {
    if state.withLock({ $0.killed.contains(process) }) { throw .canceled }
    await withCheckedContinuation { turn in rest { $0.waiting[process] = (step, turn) } }
    if state.withLock({ $0.killed.contains(process) }) { throw .canceled }
  }

  /// Lets processes take turns until all have ended; before a step, one process may be killed, or another program may remove
  /// a lock that was just taken.
  func run(_ choices: inout Choices) async {
    while true {
      await withCheckedContinuation { continuation in
        let isIdle = state.withLock { state in
          if state.running > 0 { state.idle = continuation }
          return state.running == 0
        }
        if isIdle { continuation.resume() }
      }
      let ready = state.withLock { state in
        state.waiting.filter { state.owner == nil || $0.value.step != "lock" }.keys.sorted()
      }
      guard !ready.isEmpty else { return }
      let (mayKill, owner) = state.withLock { state in
        let isUndisturbed = state.killed.isEmpty && !state.isLockLost
        // Later, both may send the token; JournalTests lose the lock then.
        let mayLose = isUndisturbed && state.owner.flatMap { state.waiting[$0]?.step } == "load"
        return (isUndisturbed, mayLose ? state.owner : nil)
      }
      let count = ready.count * (mayKill ? 2 : 1)
      let choice = choices.choose(owner == nil ? count : count + 1)
      if let owner, choice == count {
        state.withLock { state in
          state.trace.append("\(owner) loses the lock")
          (state.isLockLost, state.owner) = (true, nil)
        }
        continue
      }
      let process = ready[choice % ready.count]
      let turn = state.withLock { state in
        guard let (step, turn) = state.waiting.removeValue(forKey: process) else { fatalError("it isn't waiting") }
        state.trace.append("\(process) \(step)\(choice < ready.count ? "" : " killed")")
        if choice >= ready.count {
          state.killed.insert(process)
          if state.owner == process { state.owner = nil }
        }
        state.running += 1
        return turn
      }
      turn.resume()
    }
  }
}

/// The world's cache, as one process sees it.
struct WorldStore: TokenCacheStore {
  let world: World
  let process: Int

  var name: String { "the world" }
  var journal: Journal? { world.journal }

  func load() async throws(AuthenticationError) -> TokenCacheDocument {
    try await world.step(process, "load")
    return world.state.withLock { $0.document }
  }

  func acquire(within timeout: Duration) async throws(AuthenticationError) -> TokenCacheLock {
    try await world.step(process, "lock")
    world.state.withLock { $0.owner = process }
    return TokenCacheLock(of: name, isValid: { world.state.withLock { $0.owner == process } }) { [world, process] in
      world.state.withLock { state in if state.owner == process { state.owner = nil } }
    }
  }

  func checkSave(holding lock: TokenCacheLock) async throws(AuthenticationError) -> Int {
    try lock.checkHolds(name)
    return 0
  }

  func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(AuthenticationError) {
    try await world.step(process, "save")
    try lock.checkHolds(name)
    world.state.withLock { $0.document = document }
  }

  func setAside(holding lock: TokenCacheLock) async throws(AuthenticationError) -> String? { nil }

  func removeSetAside(holding lock: TokenCacheLock) async throws(AuthenticationError) {}
}

/// The world's provider.
struct WorldTransport: HTTPTransport {
  let world: World
  let process: Int

  func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
    guard let form = request.body?.revealed, form.contains("grant_type=refresh_token") else {
      try await world.step(process, "revoke")
      return HTTPResponse(status: 200)
    }
    try await world.step(process, "send")
    let next = world.state.withLock { state -> String? in
      guard form.split(separator: "&").contains("refresh_token=\(state.refreshToken)") else {
        state.reused += 1
        return nil
      }
      state.refreshToken = "next-of-" + state.refreshToken
      return state.refreshToken
    }
    try await world.step(process, "receive")
    let json = [("Content-Type", "application/json")]
    guard let next else {
      return HTTPResponse(status: 400, headers: json, body: Array(#"{"error":"invalid_grant"}"#.utf8))
    }
    let body = #"{"access_token":"at-\#(next)","refresh_token":"\#(next)","token_type":"Bearer","expires_in":3600}"#
    return HTTPResponse(status: 200, headers: json, body: Array(body.utf8))
  }
}

internal import FlyingSocks
internal import Glibc
internal import Synchronization

/// The live connections, of which the one that waits longest without need makes room for a new one.
///
/// A connection is ended by shutting its socket down: its own task notices, and closes it.
final class ConnectionTable: Sendable {
  /// What a connection is doing, and so whether it may be ended for another's sake.
  enum Phase {
    /// No whole request yet, or the answer is handed over already: it may end.
    case idle
    /// A request is being answered: its place is its own.
    case answering
  }

  /// Whether a new connection has a place.
  enum Admission: Equatable {
    case admitted
    /// Every other connection has just come: ask again then, or when a place is vacant.
    case later(Duration)
    /// Every other connection waits for its answer.
    case full
  }

  private struct Entry {
    let began: ContinuousClock.Instant
    var phase: Phase
  }

  private let limits: Limits
  private let entries = Mutex<[Socket: Entry]>([:])
  private let newcomers = Mutex<[AsyncStream<Never>.Continuation]>([])

  init(limits: Limits) { self.limits = limits }

  /// Gives a connection a place, if need be another's; it must be removed before its socket is closed.
  func admit(_ socket: Socket, now: ContinuousClock.Instant) -> Admission {
    entries.withLock { entries in
      if entries.count >= limits.connections {
        guard let oldest = Self.oldestIdle(entries) else { return .full }
        let age = oldest.value.began.duration(to: now)
        guard age >= limits.patience else { return .later(limits.patience - age) }
        Self.end(oldest.key, &entries)
      }
      entries[socket] = Entry(began: now, phase: .idle)
      return .admitted
    }
  }

  func set(_ phase: Phase, for socket: Socket) {
    entries.withLock { $0[socket]?.phase = phase }
    if phase == .idle { announceVacancy() }
  }

  /// Takes a connection out; only then may its descriptor be closed, whose number the next connection may get.
  func remove(_ socket: Socket) {
    entries.withLock { _ = $0.removeValue(forKey: socket) }
    announceVacancy()
  }

  /// A stream that ends when a place may have become vacant since this call.
  func vacancy() -> AsyncStream<Never> {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    newcomers.withLock { $0.append(continuation) }
    return stream
  }

  private func announceVacancy() {
    let waiting = newcomers.withLock { newcomers in
      defer { newcomers = [] }
      return newcomers
    }
    for newcomer in waiting { newcomer.finish() }
  }

  /// Ends the connection that has been idle longest, when the process is out of descriptors.
  func endOldestIdle() {
    entries.withLock { entries in
      if let oldest = Self.oldestIdle(entries) { Self.end(oldest.key, &entries) }
    }
  }

  /// Ends all that wait for no answer, when the listener closes.
  func endIdle() {
    entries.withLock { entries in
      for entry in entries where entry.value.phase == .idle { Self.end(entry.key, &entries) }
    }
  }

  private static func oldestIdle(_ entries: [Socket: Entry]) -> (key: Socket, value: Entry)? {
    entries.filter { $0.value.phase == .idle }.min { $0.value.began < $1.value.began }
  }

  private static func end(_ socket: Socket, _ entries: inout [Socket: Entry]) {
    Glibc.shutdown(socket.file.rawValue, Int32(SHUT_RDWR))
    entries[socket] = nil
  }
}

internal import Core
internal import FlyingSocks
internal import Glibc
internal import Synchronization

/// Bounds the number of live connections: when there are too many, the oldest idle one is ended for a new one.
///
/// A connection is ended by shutting its socket down; its own task notices, and closes it.
final class ConnectionLimiter: Sendable {
  /// What a connection is doing, and so whether it may be ended.
  enum State {
    /// Its request is not complete yet, or its response is written: it may be ended.
    case idle
    /// Its request is being answered: it may not be ended.
    case answering
    /// Its request is being answered, and the peer has closed at least its sending half.
    ///
    /// It may still wait for the response, so it is ended only when every other connection is answering.
    case readClosed
  }

  /// Whether a new connection may be served.
  enum Admission {
    case admitted
    /// Every idle connection is too young to be ended: try again after the time, or when one has ended.
    case retry(after: Duration, vacancy: OneShot<Void>)
    /// Every connection is being answered.
    case full
  }

  private struct Entry {
    let began: ContinuousClock.Instant
    var state: State
  }

  private struct Connections {
    var entries: [Socket: Entry] = [:]
    /// Resumed when a connection has ended or become idle; nil while nobody waits.
    var vacancy: OneShot<Void>?

    func oldest(_ state: State) -> (key: Socket, value: Entry)? {
      entries.filter { $0.value.state == state }.min { $0.value.began < $1.value.began }
    }

    mutating func end(_ socket: Socket) {
      Glibc.shutdown(socket.file.rawValue, Int32(SHUT_RDWR))
      entries[socket] = nil
    }

    mutating func announceVacancy() {
      vacancy?.resume()
      vacancy = nil
    }
  }

  private let limits: Limits
  private let connections = Mutex(Connections())

  init(limits: Limits) { self.limits = limits }

  /// Waits until a connection may be served; it must be removed before its socket is closed.
  ///
  /// - Returns: False when every connection is being answered, or the task is cancelled.
  func admit(_ socket: Socket) async -> Bool {
    while !Task.isCancelled {
      switch admit(socket, now: .now) {
      case .admitted: return true
      case .full: return false
      case .retry(let delay, let vacancy): try? await withTimeout(delay) { try await vacancy.value() }
      }
    }
    return false
  }

  /// Admits a connection, if need be by ending another one.
  func admit(_ socket: Socket, now: ContinuousClock.Instant) -> Admission {
    connections.withLock { connections in
      if connections.entries.count >= limits.maximumConnections {
        if let oldest = connections.oldest(.idle) {
          let age = oldest.value.began.duration(to: now)
          guard age >= limits.minimumIdleTime else {
            let vacancy = connections.vacancy ?? OneShot()
            connections.vacancy = vacancy
            return .retry(after: limits.minimumIdleTime - age, vacancy: vacancy)
          }
          connections.end(oldest.key)
        } else if let oldest = connections.oldest(.readClosed) {
          connections.end(oldest.key)
        } else {
          return .full
        }
      }
      connections.entries[socket] = Entry(began: now, state: .idle)
      return .admitted
    }
  }

  func set(_ state: State, for socket: Socket) {
    connections.withLock { connections in
      connections.entries[socket]?.state = state
      if state != .answering { connections.announceVacancy() }
    }
  }

  /// Removes a connection; only then may its descriptor be closed, whose number the next connection may get.
  func remove(_ socket: Socket) {
    connections.withLock { connections in
      connections.entries[socket] = nil
      connections.announceVacancy()
    }
  }

  /// Ends the oldest idle connection, when the process is out of descriptors.
  func endOldestIdle() {
    connections.withLock { connections in
      if let oldest = connections.oldest(.idle) { connections.end(oldest.key) }
    }
  }

  /// Ends all idle connections, when the listener closes.
  func endAllIdle() {
    connections.withLock { connections in
      for (socket, entry) in connections.entries where entry.state == .idle { connections.end(socket) }
    }
  }
}

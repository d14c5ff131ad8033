import FlyingSocks
import FoundationEssentials
import Glibc
import Testing

@testable import Loopback

@Suite("Room for connections")
struct ConnectionTableTests {
  /// Numbers that no descriptor has: shutting one down does nothing.
  private func socket(_ number: Int32) -> Socket { Socket(file: .init(rawValue: 1_000_000 + number)) }

  private func table(places: Int) -> (ConnectionTable, Limits) {
    var limits = Limits()
    limits.connections = places
    limits.patience = .milliseconds(100)
    return (ConnectionTable(limits: limits), limits)
  }

  @Test("a newcomer waits until the oldest idle connection has had its time, and then takes its place")
  func patience() {
    let (table, _) = table(places: 2)
    let start = ContinuousClock.now
    #expect(table.admit(socket(1), now: start) == .admitted)
    #expect(table.admit(socket(2), now: start + .milliseconds(50)) == .admitted)
    #expect(table.admit(socket(3), now: start + .milliseconds(60)) == .later(.milliseconds(40)))
    #expect(table.admit(socket(3), now: start + .milliseconds(100)) == .admitted)
    #expect(table.admit(socket(4), now: start + .milliseconds(110)) == .later(.milliseconds(40)))
  }

  @Test("who waits for an answer is never thrown out")
  func answering() {
    let (table, _) = table(places: 2)
    let start = ContinuousClock.now
    for number in 1...2 {
      #expect(table.admit(socket(Int32(number)), now: start) == .admitted)
      table.set(.answering, for: socket(Int32(number)))
    }
    #expect(table.admit(socket(3), now: start + .seconds(60)) == .full)
    table.set(.idle, for: socket(2))
    #expect(table.admit(socket(3), now: start + .seconds(60)) == .admitted)
    #expect(table.admit(socket(4), now: start + .seconds(120)) == .admitted)
    #expect(table.admit(socket(5), now: start + .seconds(120)) == .later(.milliseconds(100)))
  }

  @Test("who leaves makes room")
  func leaving() {
    let (table, _) = table(places: 1)
    #expect(table.admit(socket(1), now: .now) == .admitted)
    table.remove(socket(1))
    #expect(table.admit(socket(2), now: .now) == .admitted)
  }

  @Test("who waits for room hears of it", .timeLimit(.minutes(1)))
  func vacancy() async {
    let (table, _) = table(places: 1)
    #expect(table.admit(socket(1), now: .now) == .admitted)
    let vacancy = table.vacancy()
    table.remove(socket(1))
    for await _ in vacancy {}
    #expect(table.admit(socket(2), now: .now) == .admitted)
  }

  @Test("a descriptor's number that is used anew is watched anew")
  func reusedDescriptor() throws {
    var queue = ReadinessQueue()
    try queue.open()
    for _ in 0..<3 {
      let (near, far) = try Socket.pair()
      try queue.addEvents([.read], for: near.file)
      _ = try far.write(.init([1]))
      #expect(try queue.getNotifications().map(\.file) == [near.file])
      // Closed before the queue is told, as happens when the waiting task is quicker.
      try near.close()
      try queue.removeEvents([.read], for: near.file)
      try far.close()
    }
    try queue.close()
  }
}

extension Socket {
  static func pair() throws -> (Socket, Socket) {
    var files: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &files) == 0 else { throw SocketError.makeFailed("pair") }
    return (Socket(file: .init(rawValue: files[0])), Socket(file: .init(rawValue: files[1])))
  }
}

import FlyingSocks
import FoundationEssentials
import Glibc
import Testing

@testable import Loopback

@Suite("Waiting for descriptors", .timeLimit(.minutes(10)))
struct PollerTests {
  @Test("an event names the connection, not the descriptor, whose number may be another one's by then")
  func reusedDescriptor() throws {
    let poller = try Poller()
    for id in UInt64(0)..<3 {
      let (near, far) = try Socket.pair()
      #expect(poller.add(near.file.rawValue, .input, id: id))
      _ = try far.write(.init([1]))
      // A signal interrupts the wait.
      var ready: [UInt64] = []
      while ready.isEmpty { ready = poller.wait(milliseconds: -1) }
      #expect(ready == [id])
      poller.remove(near.file.rawValue)
      try near.close()
      try far.close()
    }
  }

  @Test("another thread ends the wait, and so does what it did before")
  func wakeUp() throws {
    let poller = try Poller()
    poller.wakeUp()
    poller.wakeUp()
    #expect(poller.wait(milliseconds: -1) == [])
    #expect(poller.wait(milliseconds: 0) == [])
  }

  @Test("that a peer closes its sending half is reported once")
  func hangUp() throws {
    let poller = try Poller()
    let (near, far) = try Socket.pair()
    defer { for socket in [near, far] { try? socket.close() } }
    #expect(poller.add(near.file.rawValue, .hangUp, id: 7))
    _ = try far.write(.init([1]))
    #expect(poller.wait(milliseconds: 0) == [])
    shutdown(far.file.rawValue, Int32(SHUT_WR))
    #expect(poller.wait(milliseconds: 0) == [7])
    #expect(poller.wait(milliseconds: 0) == [])
  }

  @Test("no child process inherits its descriptors")
  func closeOnExec() throws {
    let poller = try Poller()
    for descriptor in [poller.epoll, poller.wake] { #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
  }
}

extension Socket {
  static func pair() throws -> (Socket, Socket) {
    var files: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &files) == 0 else { throw SocketError.makeFailed("pair") }
    return (Socket(file: .init(rawValue: files[0])), Socket(file: .init(rawValue: files[1])))
  }
}

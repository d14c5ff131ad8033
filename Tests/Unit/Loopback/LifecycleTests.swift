import FlyingSocks
import TestSupport
import Testing

@testable import MSAuthLoopback

@Suite("binding and closing", .timeLimit(.minutes(10)))
struct LifecycleTests {
  @Test("browsers allow a port chosen by the system, and the redirect URI's own host", arguments: LoopbackHost.allCases)
  func anyPort(_ host: LoopbackHost) throws {
    let listener = try LoopbackListener(host, limits: .patient, peerCheck: .unchecked)
    #expect(listener.port >= 1024 && !SocketBinder.isBlockedByBrowsers(listener.port))
    #expect(listener.hosts == ["\(host.uriHost):\(listener.port)"])
    #expect(LoopbackListener.headerValues(of: ["127.0.0.1"], port: 80) == ["127.0.0.1", "127.0.0.1:80"])
  }

  @Test("a port in use is an error that names it", arguments: LoopbackHost.allCases)
  func portInUse(_ host: LoopbackHost) throws {
    let first = try LoopbackListener(.localhost, peerCheck: .unchecked)
    let error = #expect(throws: AuthenticationError.self) {
      _ = try LoopbackListener(host, port: first.port, peerCheck: .unchecked)
    }
    #expect(error?.reason == "port_in_use")
    for text in [error?.message, error?.hint?.description] { #expect(text?.contains("\(first.port)") == true) }
  }

  @Test("the hint is about ports only if another port would help", arguments: [EMFILE, EADDRNOTAVAIL, EACCES])
  func portHint(_ error: Int32) {
    let hint = AuthenticationError.notListening(error, on: "localhost", port: 80).hint
    #expect((hint?.description.contains("another port") ?? false) == (error == EACCES))
  }

  @Test("a port isn't kept if it is taken in the other address family")
  func halfPair() throws {
    // Another program may use one of these ports, but not all of them.
    let isFree = try (0..<5).contains { _ in
      let six = try Self.bindFixed(.ipv6)
      #expect(throws: AuthenticationError.self) {
        _ = try LoopbackListener(.localhost, port: six.port, peerCheck: .unchecked)
      }
      return (try? LoopbackListener(.ipv4, port: six.port, peerCheck: .unchecked)) != nil
    }
    #expect(isFree)
  }

  @Test("ports blocked by browsers are rejected", arguments: [1, 22, 6000, 6667, 10080])
  func browserPorts(_ port: UInt16) {
    let error = #expect(throws: AuthenticationError.self) {
      _ = try LoopbackListener(.ipv4, port: port, peerCheck: .unchecked)
    }
    #expect(error?.reason == "port_not_allowed")
  }

  @Test("the port can't be shared", arguments: [SO_REUSEPORT, SO_REUSEADDR])
  func hijack(_ option: Int32) throws {
    let listener = try LoopbackListener(.ipv4, peerCheck: .unchecked)
    let again = try Self.bindFixed(.ipv4)
    for port in [listener.port, again.port] {
      let thief = try Socket(domain: AF_INET)
      defer { try? thief.close() }
      try thief.setValue(true, for: BoolSocketOption(name: option))
      #expect(throws: (any Error).self) {
        try thief.bind(to: .inet(ip4: "127.0.0.1", port: port) as sockaddr_in)
        try thief.listen()
      }
    }
  }

  @Test("the machine's other addresses are rejected")
  func otherAddresses() async throws {
    let own = try await ChildProcess.output(of: ["hostname", "--all-ip-addresses"]).split(separator: " ")
    try await withListener { _, browser in
      for address in ["127.0.0.2"] + own.map(String.init) where address.contains(".") {
        await #expect(throws: (any Error).self, "\(address)") {
          _ = try await browser.connect(to: .inet(ip4: address, port: browser.port) as sockaddr_in)
        }
      }
    }
  }

  @Test("an IPv4 listener isn't reachable over IPv6, or vice versa")
  func oneFamily() async throws {
    for (host, address) in [(LoopbackHost.ipv4, Browser.Address.ipv6), (.ipv6, .ipv4)] {
      // Another test may use one of these ports, but not all of them.
      var isReached = true
      for _ in 0..<10 where isReached {
        isReached = try await withListener(host) { _, browser in (try? await browser.connect(address)) != nil }
      }
      #expect(!isReached, "\(host)")
    }
  }

  @Test("every socket has a loopback address, and child processes inherit none")
  func closeOnExec() async throws {
    try await withListener { listener, browser in
      let idle = try await browser.connect()
      defer { try? idle.close() }
      #expect(try await browser.get("/").status == 200)
      var seen = 0
      for descriptor in Int32(0)..<4096 {
        let socket = Socket(file: .init(rawValue: descriptor))
        switch try? socket.sockname() {
        case .ip4(let address, listener.port), .ip6(let address, listener.port):
          seen += 1
          #expect(address == "127.0.0.1" || address == "::1")
          #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        default: continue
        }
      }
      #expect(seen >= 3)
    }
  }

  @Test("canceling the task closes everything, and frees the port")
  func cancellation() async throws {
    let arrived = OneShot<Void>()
    let listener = try Self.bindFixed(.localhost)
    let running = Task {
      try await listener.run { _ in
        arrived.resume()
        try? await Task.sleep(for: .seconds(60))
        return .empty(200)
      }
    }
    try await withBrowser(port: listener.port) { browser in
      let idle = try await browser.connect()
      let busy = try await browser.connect()
      defer { for socket in [idle, busy] { try? socket.close() } }
      try await busy.write(browser.request())
      try await arrived.value()
      running.cancel()
      try await running.value
      #expect(await browser.rest(of: idle) == "")
      _ = await browser.rest(of: busy)
      await #expect(throws: (any Error).self) { _ = try await browser.connect() }
    }
    _ = try await Self.bindAgain(.localhost, port: listener.port)
  }

  @Test("the last response is complete although the listener closes with it", arguments: 1...20)
  func lastResponse(_ round: Int) async throws {
    let listener = try LoopbackListener(.localhost, limits: .patient, peerCheck: .unchecked)
    let arrived = OneShot<Void>()
    let page = String(repeating: "x", count: 20_000)
    let running = Task {
      try await listener.run { _ in
        arrived.resume()
        return .text(200, page)
      }
    }
    let stopping = Task {
      try await arrived.value()
      running.cancel()
    }
    let response = try await withBrowser(port: listener.port) { try await $0.get("/") }
    #expect(response.hasSuffix(page + "\n"))
    try await stopping.value
    try await running.value
  }

  @Test("close rejects new connections, ends idle ones, and completes responses")
  func closing() async throws {
    let (arrived, released) = (OneShot<Void>(), OneShot<Void>())
    try await withListener(
      respond: { _ in
        arrived.resume()
        try? await released.value()
        return .text(200, "late")
      }
    ) { listener, browser in
      let idle = try await browser.connect()
      defer { try? idle.close() }
      async let request = browser.get("/")
      try await arrived.value()
      listener.close()
      await #expect(throws: (any Error).self) { _ = try await browser.connect() }
      #expect(await browser.rest(of: idle) == "")
      released.resume()
      #expect(try await request.hasSuffix("late\n"))
    }
  }

  @Test("a closed listener frees its port and can't run")
  func closed() async throws {
    let listener = try Self.bindFixed(.localhost)
    listener.close()
    listener.close()
    let next = try await Self.bindAgain(.localhost, port: listener.port)
    let error = await #expect(throws: AuthenticationError.self) { try await listener.run { _ in .empty(200) } }
    #expect(error?.reason == "not_listening")
    #expect(next.port == listener.port)
  }

  @Test("a released listener frees its port")
  func released() async throws {
    let port = try Self.bindFixed(.ipv4).port
    _ = try await Self.bindAgain(.ipv4, port: port)
  }

  /// Binds a released port; another test's child process holds it between fork and exec.
  private static func bindAgain(_ host: LoopbackHost, port: UInt16) async throws -> LoopbackListener {
    try await eventually("port \(port) to be free") {
      try? LoopbackListener(host, port: port, peerCheck: .unchecked)
    }
  }

  /// A listener outside the ephemeral port range, so that the port can be bound again.
  private static func bindFixed(_ host: LoopbackHost) throws -> LoopbackListener {
    try LoopbackListener(host, port: freePort(), limits: .patient, peerCheck: .unchecked)
  }
}

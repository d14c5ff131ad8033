import Dispatch
import Synchronization
import TestSupport
import Testing

@Suite("msauth mcp connect: requests at the same time", .limitedConcurrency)
struct MCPBridgeConcurrencyTests {
  private struct Sessions {
    /// The number of the newest one; those up to `lost` are forgotten.
    var newest = 0
    var lost = 0
    var rejected = 0
    var handshakes = 0
    var overlap = false
  }

  @Test("many requests over a lost session repeat the handshake once, also those that learn of it late")
  func lostSessions() async throws {
    let (rounds, early, late) = (3, 5, 5)
    let sessions = Mutex(Sessions())
    let (manyWait, isRenewed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try ScriptedMCPServer { message, request in
      if message.method == "initialize" {
        let isRepeated = sessions.withLock { sessions in
          sessions.handshakes += 1
          sessions.overlap = sessions.overlap || sessions.handshakes > 1
          return sessions.newest > 0
        }
        if isRepeated { manyWait.wait() }
        let number = sessions.withLock { sessions in
          sessions.handshakes -= 1
          sessions.newest += 1
          return sessions.newest
        }
        return .json(message.response, ["Mcp-Session-Id: s-\(number)"])
      }
      guard message.method == "tools/call" else { return .status("202 Accepted") }
      let (isLost, rejected) = sessions.withLock { sessions in
        let isLost = request.contains("s-\(sessions.lost)\r\n")
        if isLost { sessions.rejected += 1 }
        return (isLost, sessions.rejected)
      }
      guard isLost else {
        isRenewed.signal()
        return .json(message.response)
      }
      if rejected == early { manyWait.signal() }
      if rejected > early { isRenewed.wait() }
      return .status("404 Not Found")
    }
    let bridge = try await Bridge(server.url, initializes: true)
    for round in 1...rounds {
      sessions.withLock { ($0.lost, $0.rejected) = (round, 0) }
      for _ in 0..<early + late { try bridge.send("tools/call") }
      let last = try await bridge.line(1 + round * (early + late))
      #expect(last.contains(#""result""#), "\(last)")
    }
    let end = try await bridge.close()
    #expect(end.code == 0 && !end.stdout.contains(#""error""#), "\(end)")
    #expect(server.requests.count { $0.contains(#""method":"initialize""#) } == rounds + 1)
    #expect(sessions.withLock { !$0.overlap })
  }

  @Test("a refresh that is in progress at the end of input is completed, and its refresh token stored")
  func refreshAtEnd() async throws {
    let isEnding = DispatchSemaphore(value: 0)
    let server = try ScriptedMCPServer(tokens: true) { path, request, _ in
      guard path == "/token" else { return nil }
      let isRefresh = request.contains("grant_type=refresh_token")
      if isRefresh { isEnding.wait() }
      let (token, refreshToken) = isRefresh ? ("token-2", "rotated") : ("token-1", "earlier")
      return .json(
        """
        {"access_token": "\(token)", "token_type": "Bearer", "refresh_token": "\(refreshToken)", "expires_in": 3600}
        """
      )
    } _: { message, request in
      switch message.method {
      case "slow": .never(then: { isEnding.signal() })
      case "tools/call" where request.contains("token-1"): nil
      default: .json(message.response)
      }
    }
    let bridge = try await Bridge(server.url, browser: true, initializes: true)
    for method in ["slow", "tools/call"] { try bridge.send(method) }
    try await eventually("the refresh") { server.requests.contains { $0.contains("grant_type=refresh_token") } }
    try await bridge.close().expect(0)
    let cache = try #require(bridge.runner.home.read(Home.cacheFile))
    #expect(cache.contains("rotated") && cache.contains("token-2") && !cache.contains("earlier"), "\(cache)")
  }
}

@testable import MSAuthTransport
import Synchronization
import TestSupport
import Testing

@Suite struct TransportLimitTests {
  @Test("a body at the limit is accepted, one byte more is rejected", arguments: [true, false])
  func body(isAnnounced: Bool) async throws {
    let limit = 1 << 20
    let server = try ScriptedServer { peer in
      let bytes = [UInt8](repeating: 0x61, count: peer.request.hasPrefix("GET /larger") ? limit + 1 : limit)
      if isAnnounced {
        peer.respond(body: bytes)
      } else {
        peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(bytes.count, radix: 16))\r\n")
        peer.send(bytes)
        peer.send("\r\n0\r\n\r\n")
      }
    }
    #expect(try await transport().send(HTTPRequest(.get, server.url)).body.count == limit)
    #expect(await failure(transport(), HTTPRequest(.get, server.url + "/larger"))?.reason == .responseTooLarge)
  }

  @Test("an endless body is rejected")
  func endless() async throws {
    let server = try ScriptedServer { peer in
      peer.send("HTTP/1.1 200 OK\r\n\r\n")
      let piece = [UInt8](repeating: 0x61, count: 65536)
      while peer.send(piece) {}
    }
    let error = try #require(await failure(transport(), HTTPRequest(.get, server.url)))
    #expect(error.reason == .responseTooLarge && error.message.contains("larger than 1 MiB"))
  }

  @Test("a small gzip stream that decompresses to 50 MB is rejected")
  func gzipBomb() async throws {
    let bomb = try await shell("head -c 50000000 /dev/zero | gzip -9")
    try #require(bomb.count < 100_000 && bomb.count > 1000)
    let server = try ScriptedServer { $0.respond("200 OK", ["Content-Encoding: gzip"], body: bomb) }
    #expect(await failure(transport(), HTTPRequest(.get, server.url))?.reason == .responseTooLarge)
  }

  @Test("a gzip stream within the limit is decompressed")
  func gzip() async throws {
    let packed = try await shell("printf '{\"a\":1}' | gzip")
    let server = try ScriptedServer { $0.respond("200 OK", ["Content-Encoding: gzip"], body: packed) }
    #expect(try await transport().send(HTTPRequest(.get, server.url)).body == Array("{\"a\":1}".utf8))
  }

  @Test("headers over the limit are rejected", arguments: [1, 3000])
  func headers(lines: Int) async throws {
    let server = try ScriptedServer { peer in
      let value = String(repeating: "v", count: 90_000 / lines)
      peer.respond("200 OK", (0..<lines).map { "X-\($0): \(value)" })
    }
    #expect(await failure(transport(), HTTPRequest(.get, server.url))?.reason == .responseTooLarge)
  }

  @Test(
    "an unresponsive server times out",
    arguments: ["", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\n\r\n{"]
  )
  func silence(beginning: String) async throws {
    let server = try ScriptedServer { peer in
      peer.send(beginning)
      peer.waitForClose()
    }
    let impatient = transport(limits: TransferLimits(connect: .seconds(60), total: .seconds(2)))
    let error = try #require(await failure(impatient, HTTPRequest(.get, server.url)))
    #expect(error.reason == .unreachable && error.message.contains("didn't respond in time"))

    var (limits, stream) = (TransferLimits(connect: .seconds(60)), HTTPRequest(.get, server.url))
    (limits.silence, stream.receiver) = (.seconds(2), { _, _ in true })
    let stalled = try #require(await failure(transport(limits: limits), stream))
    #expect(stalled.reason == .unreachable && stalled.message.contains("sent nothing for 2 s"), "\(stalled)")
  }

  @Test("a slow trickle doesn't extend the timeout")
  func trickle() async throws {
    let server = try ScriptedServer { peer in
      peer.send("HTTP/1.1 200 OK\r\n\r\n")
      while peer.send("a") { usleep(20_000) }
    }
    let impatient = transport(limits: TransferLimits(connect: .seconds(60), total: .seconds(2)))
    #expect(await failure(impatient, HTTPRequest(.get, server.url))?.reason == .unreachable)
  }

  @Test("canceling the task ends the request long before its timeout", .timeLimit(.minutes(10)))
  func cancel() async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { peer in
      arrival.yield()
      peer.waitForClose()
    }
    let url = server.url
    // The test's limit is ten minutes, the request's an hour.
    let unlimited = transport(limits: TransferLimits(connect: .seconds(60), total: .seconds(3600)))
    let task = Task { await failure(unlimited, HTTPRequest(.get, url)) }
    for await _ in arrivals { break }
    task.cancel()
    #expect(await task.value?.code == .canceled)
  }

  @Test("the response to a request that must complete is awaited, although the task is canceled")
  func completes() async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let isCanceled = Mutex(false)
    let server = try ScriptedServer { peer in
      arrival.yield()
      while !isCanceled.withLock(\.self) { usleep(1000) }
      // Some of the transport's checks for cancellation.
      usleep(500_000)
      peer.respond("200 OK", [], "next")
    }
    var request = HTTPRequest(.post, server.url, body: Secret("refresh_token=last"))
    request.mustComplete = true
    let task = Task { [request] in try await transport().send(request) }
    for await _ in arrivals { break }
    task.cancel()
    isCanceled.withLock { $0 = true }
    #expect(try await task.value.body == Array("next".utf8))
  }

  @Test("a process that calls exit() gets and uses the response to such a request")
  func exiting() async {
    let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
      let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
      let server = try ScriptedServer { peer in
        arrival.yield()
        // Some of the transport's checks.
        usleep(500_000)
        peer.respond("200 OK", [], "next")
      }
      var request = HTTPRequest(.post, server.url, body: Secret("refresh_token=last"))
      request.mustComplete = true
      let refresh = Task { [request] in
        try await withCancellationShield(grace: .seconds(3)) {
          let response = try await transport().send(request)
          print("stored \(String(decoding: response.body, as: UTF8.self))")
        }
      }
      for await _ in arrivals { break }
      withExtendedLifetime(refresh) { exit(3) }
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.contains("stored next"))
  }

  @Test("a canceled task sends no request")
  func canceledBefore() async throws {
    let server = try ScriptedServer { $0.respond() }
    let url = server.url
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await failure(transport(), HTTPRequest(.get, url))
    }
    task.cancel()
    #expect(await task.value?.code == .canceled)
    #expect(server.connections == 0)
  }
}

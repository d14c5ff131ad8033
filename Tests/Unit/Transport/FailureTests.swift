import TestSupport
import Testing

@testable import MSAuthTransport

@Suite struct FailureTests {
  @Test("a refused connection is unreachable, with host and port")
  func refused() async throws {
    try await withRefusingPort { port in
      let error = try #require(await failure(transport(), HTTPRequest(.get, "http://127.0.0.1:\(port)/")))
      #expect(error.reason == .unreachable)
      #expect(error.message == "couldn't connect to 127.0.0.1:\(port): connection refused")
    }
  }

  @Test(
    "a connection that ends early is unreachable",
    arguments: [
      "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nx",
    ]
  )
  func earlyEnd(beginning: String) async throws {
    let server = try ScriptedServer { peer in
      peer.send(beginning)
      peer.disconnect()
    }
    #expect(await failure(transport(), HTTPRequest(.get, server.url))?.reason == .unreachable)
  }

  @Test(
    "a response that can't be requested again is accepted if its JSON object is whole",
    arguments: [
      ("Content-Length: 99\r\n\r\n{\"a\": 1}", true), ("Transfer-Encoding: chunked\r\n\r\n8\r\n{\"a\": 1}\r\n", true),
      ("Content-Length: 99\r\n\r\n{\"a\": 1", false), ("Content-Length: 99\r\n\r\n", false),
    ]
  )
  func wholeObject(response: String, isAccepted: Bool) async throws {
    let server = try ScriptedServer { peer in
      peer.send("HTTP/1.1 200 OK\r\n" + response)
      peer.disconnect()
    }
    var request = HTTPRequest(.post, server.url)
    request.mustComplete = true
    if isAccepted {
      #expect(try await transport().send(request).body == Array("{\"a\": 1}".utf8))
    } else {
      #expect(await failure(transport(), request)?.reason == .unreachable)
    }
  }

  @Test(
    "an invalid HTTP response is an error",
    arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n", "<html>\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    ]
  )
  func garbage(text: String) async throws {
    let server = try ScriptedServer { peer in
      peer.send(text)
      peer.finishSending()
    }
    let error = try #require(await failure(transport(), HTTPRequest(.get, server.url)))
    #expect(error.reason == .unreachable && error.message.contains("something other than an HTTP response"))
  }

  @Test("an error never contains the query, the body or the token")
  func secrets() async throws {
    let request = HTTPRequest(
      .post,
      "http://127.0.0.1:1/?code=SECRET",
      authorization: ("Bearer", Secret("SECRET")),
      body: Secret("SECRET")
    )
    let error = try #require(await failure(transport(), request))
    #expect(!"\(error)".contains("SECRET"))
  }

  @Test("without libcurl, the error names the package")
  func noLibrary() async throws {
    let without = CurlTransport(environment: [:], libraryNames: ["libnothing.so.4", "libnought.so.4"])
    let error = try #require(await failure(without, HTTPRequest(.get, "http://127.0.0.1:1/")))
    #expect(error.code == .internalError && error.reason == .libcurlMissing)
    #expect(error.message.contains("libnothing.so.4: cannot open"))
    #expect(error.hint?.description.contains("libcurl4") == true)
  }

  @Test("a library other than libcurl is rejected, and the next name is tried")
  func wrongLibrary() throws {
    let error = #expect(throws: AuthenticationError.self) { try LibCurl.open(["libc.so.6"]) }
    #expect(try #require(error).message.contains("curl_global_init"))
    _ = try LibCurl.open(["libc.so.6", "libcurl.so.4"])
  }

  @Test("Debian's GnuTLS build works")
  func gnuTLS() async throws {
    let server = try ScriptedServer { $0.respond("204 No Content") }
    let transport = CurlTransport(environment: [:], libraryNames: ["libcurl-gnutls.so.4"])
    #expect(try await transport.send(HTTPRequest(.get, server.url)).status == 204)
  }
}

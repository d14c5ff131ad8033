import TestSupport
import Testing

@testable import MSAuthTransport

@Suite struct TrustTests {
  @Test("a self-signed certificate is rejected")
  func selfSigned() async throws {
    let server = try await TLSServer(names: "IP:127.0.0.1,DNS:localhost")
    let error = try #require(await failure(transport(), HTTPRequest(.get, server.url)))
    #expect(error.reason == .tlsUntrusted && error.message.contains("127.0.0.1:\(server.port)"))
  }

  @Test("an authority in the environment is trusted", arguments: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
  func named(variable: String) async throws {
    let server = try await TLSServer(names: "IP:127.0.0.1")
    let response = try await transport([variable: server.certificate]).send(HTTPRequest(.get, server.url))
    #expect(response.status == 200)
  }

  @Test("an explicit file overrides the environment, and is rejected by name if others can write it")
  func explicit() async throws {
    let server = try await TLSServer(names: "IP:127.0.0.1")
    let environment = ["SSL_CERT_FILE": "/nowhere/ca.pem"]
    func transport() -> CurlTransport { CurlTransport(environment: environment, caFile: server.certificate) }
    #expect(try await transport().send(HTTPRequest(.get, server.url)).status == 200)
    chmod(server.certificate, 0o666)
    let error = try #require(await failure(transport(), HTTPRequest(.get, server.url)))
    #expect(error.reason == .tlsUntrusted && error.message.contains("\(server.certificate) can be written by others"))
    #expect(error.hint?.description == "chmod go-w \(server.certificate)")
  }

  @Test("a certificate for another name is rejected")
  func otherName() async throws {
    let server = try await TLSServer(names: "DNS:other.example")
    let error = await failure(transport(["SSL_CERT_FILE": server.certificate]), HTTPRequest(.get, server.url))
    #expect(error?.reason == .tlsUntrusted)
  }

  @Test("an invalid certificate period is reported with the local time")
  func date() async throws {
    for (time, what) in [("-10 days", "has expired"), ("+10 days", "isn't valid yet")] {
      let server = try await TLSServer(names: "IP:127.0.0.1", madeAt: time)
      let environment = ["SSL_CERT_FILE": server.certificate]
      let error = try #require(await failure(transport(environment), HTTPRequest(.get, server.url)))
      #expect(error.reason == .tlsUntrusted && error.hint == .checkClock)
      let words = "the certificate of 127.0.0.1:\(server.port) \(what): this computer's clock shows "
      let said = try #require(error.message.hasPrefix(words) ? error.message.dropFirst(words.count) : nil)
      let seconds = try #require(try? Date(String(said), strategy: .iso8601)).timeIntervalSinceNow
      #expect((-600...1).contains(seconds), "\(error.message)")
    }
  }

  @Test("a TLS 1.1 server is rejected with a hint")
  func oldTLS() async throws {
    let server = try await TLSServer(names: "IP:127.0.0.1", options: "-tls1_1 -cipher ALL:@SECLEVEL=0")
    let error = await failure(transport(["SSL_CERT_FILE": server.certificate]), HTTPRequest(.get, server.url))
    #expect(error?.reason == .tlsUntrusted)
    #expect(error?.message == "no TLS connection to 127.0.0.1:\(server.port): SSL connect error")
    #expect(error?.hint?.description.contains("scheme and port") == true)
  }

  @Test("https to a plain http server gets no response")
  func plain() async throws {
    let server = try ScriptedServer { $0.respond() }
    let impatient = transport(limits: TransferLimits(connect: .milliseconds(500), total: .seconds(1)))
    let error = await failure(impatient, HTTPRequest(.get, "https://127.0.0.1:\(server.port)/"))
    #expect(error?.reason == .unreachable)
  }

  @Test("an unreadable file of authorities is named")
  func missingFile() async throws {
    let server = try await TLSServer(names: "IP:127.0.0.1")
    let error = await failure(transport(["SSL_CERT_FILE": "/nowhere/ca.pem"]), HTTPRequest(.get, server.url))
    #expect(error?.reason == .tlsUntrusted && error?.message.contains("/nowhere/ca.pem") == true)
    #expect(error?.hint?.description.contains("check the file") == true)
  }
}

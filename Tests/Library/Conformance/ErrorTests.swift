import DemoProvider
import MSAuth
import MSAuthTransport
import TestSupport
import Testing

@Suite("errors of the library", .limitedConcurrency)
struct ErrorTests {
  @Test("a canceled task throws canceled")
  func canceled() async throws {
    let fixture = try await ApplicationFixture([.invalidState])
    let error = try await failure { try await fixture.signIn() }
    #expect(error.code == .canceled)
  }

  @Test("without libcurl, the error names the package")
  func internalError() async throws {
    struct NoTransport: HTTPTransport {
      func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
        throw AuthenticationError(.libcurlMissing, "libcurl couldn't be loaded", hint: "install libcurl4")
      }
    }
    let working = try await ApplicationFixture()
    let fixture = try ApplicationFixture(working.provider, transport: NoTransport())
    let error = try await failure { try await fixture.signIn() }
    #expect(error.code == .internalError && error.reason == "libcurl_missing")
    #expect(error.hint == "install libcurl4")
  }
}

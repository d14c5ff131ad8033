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
    #expect(error.code == .canceled && error.msalCode == -50005)
  }

  @Test("without libcurl, the error names the package")
  func internalError() async throws {
    struct NoTransport: HTTPTransport {
      func send(_ request: HTTPRequest) async throws(Failure) -> HTTPResponse {
        throw Failure(.libcurlMissing, "libcurl could not be loaded", hint: "install libcurl4")
      }
    }
    let working = try await ApplicationFixture()
    let fixture = try ApplicationFixture(working.provider, transport: NoTransport())
    let error = try await failure { try await fixture.signIn() }
    #expect(error.code == .internalError && error.reason == "libcurl_missing")
    #expect(error.hint == "install libcurl4")
  }

  @Test("MSAL's error numbers")
  func numbers() {
    let expected: [(AuthenticationError.Code, Int, Int?)] = [
      (.interactionRequired, -50002, nil), (.userCanceled, -50005, nil), (.serverDeclinedScopes, -50003, nil),
      (.accountRequired, -50000, -42106), (.ambiguousAccount, -50000, -42102), (.timedOut, -50000, -42401),
      (.providerUnreachable, -50000, -42007), (.serverError, -50000, -42007), (.invalidResponse, -50000, -42600),
      (.storeUnavailable, -50000, -42008), (.listenerFailed, -50000, -42011), (.invalidConfiguration, -50000, -42000),
      (.invalidParameter, -50000, -42000), (.canceled, -50005, nil), (.internalError, -50000, -42008),
    ]
    #expect(Set(expected.map(\.0)) == Set(AuthenticationError.Code.allCases))
    for (code, msal, inner) in expected {
      let error = AuthenticationError(code, "")
      #expect(error.msalCode == msal && error.msalInternalCode == inner, "\(code)")
    }
    let refusals: [(String, Int)] = [
      ("invalid_request", -42002), ("invalid_client", -42003), ("invalid_grant", -42004), ("invalid_scope", -42005),
      ("unauthorized_client", -42006), ("server_error", -50006), ("a_new_one", -42104),
    ]
    for (refusal, inner) in refusals {
      let error = AuthenticationError(.serverError, "", provider: ProviderError(error: refusal))
      #expect(error.msalInternalCode == inner, "\(refusal)")
    }
    var error = AuthenticationError(.interactionRequired, "", provider: ProviderError(error: "invalid_grant"))
    error.provider?.codes = [50142]
    #expect(error.msalCode == -50142)
    error.provider = ProviderError(error: "unauthorized_client", subError: "protection_policy_required")
    #expect(error.msalCode == -50004)
  }
}

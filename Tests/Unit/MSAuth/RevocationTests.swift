import MSAuthCore
import MSAuthTransport
import Testing

@testable import MSAuth
@testable import MSAuthCache

@Suite("revoking refresh tokens")
struct RevocationTests {
  /// Responds according to the token.
  private struct Endpoint: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
      let errors = ["not-allowed": "invalid_client", "unsupported": "unsupported_token_type"]
      let body = request.body?.revealed ?? ""
      if let (_, error) = errors.first(where: { body.contains("token=" + $0.key) }) {
        return HTTPResponse(status: 400, body: Array(#"{"error":"\#(error)"}"#.utf8))
      }
      return HTTPResponse(status: [401, 503].first { body.contains("token=\($0)") } ?? 200)
    }
  }

  @Test(
    "one token that wasn't revoked decides the result, in any order",
    arguments: [
      (["200", "200"], .revoked), (["200", "unsupported"], .notOffered), (["unsupported", "200"], .notOffered),
      (["200", "503"], .failed), (["503", "200"], .failed), (["503", "unsupported"], .failed),
      (["unsupported", "503"], .failed), (["503", "unsupported", "200"], .failed),
      (["503", "503"], .failed), (["not-allowed"], .notAllowed), (["401"], .notAllowed),
      (["200", "not-allowed"], .notAllowed), (["not-allowed", "503"], .failed),
    ] as [([String], SignOutReport.Revocation)]
  )
  func severalTokens(_ tokens: [String], _ expected: SignOutReport.Revocation) async throws {
    let report = try await report(of: tokens)
    #expect(report.revocation == expected)
    #expect(report.problems.count == (expected == .failed ? 1 : 0), "a reason is reported once: \(report.problems)")
  }

  @Test("a rejected client secret is a failure", arguments: ["not-allowed", "401"])
  func wrongSecret(_ token: String) async throws {
    let report = try await report(of: [token], secret: "wrong")
    #expect(report.revocation == .failed && report.problems.count == 1, "\(report.problems)")
  }

  private func report(of tokens: [String], secret: String? = nil) async throws -> SignOutReport {
    var dependencies = Dependencies.offline(MemoryStore())
    dependencies.transport = Endpoint()
    let provider = try Provider.offline(dependencies) { $0.clientSecret = secret }
    var report = SignOutReport(account: Account(identifier: "id", username: "ada", environment: "id.example"))
    let entries = tokens.map { RefreshTokenEntry(secret: Secret($0), scopes: [], lastModified: 0) }
    await provider.revoke(entries, report: &report)
    return report
  }
}

import OAuth
import Core
import TokenCache
import Transport

extension Provider {
  /// Revokes refresh tokens (RFC 7009), and reports the outcome.
  func revoke(_ tokens: [RefreshTokenEntry], report: inout SignOutReport) async {
    // A family's refresh token serves other applications too; only ours is taken back.
    let own = tokens.filter { $0.familyID == nil }
    guard !own.isEmpty else { return }
    guard let endpoint = metadata.revocationEndpoint else {
      report.revocation = .notOffered
      if let flaw = metadata.unusableEndpoints["revocation_endpoint"] {
        failed(AuthenticationError(.invalidResponse, flaw), &report)
      }
      return
    }
    report.revocation = .revoked
    for token in own {
      do {
        switch try await outcome(of: token.secret, at: endpoint) {
        case .revoked: continue
        case .unsupported: weaken(to: .notOffered, &report)
        case .notAllowed where authentication == .none: weaken(to: .notAllowed, &report)
        case .unavailable: failed(AuthenticationError(.serverError, "the provider is not available now"), &report)
        case .notAllowed(let reason), .failed(let reason): failed(AuthenticationError(.serverError, reason), &report)
        }
      } catch {
        failed(AuthenticationError(wrapping: error), &report)
      }
    }
  }

  // It doesn't hide that another token was not revoked.
  private func weaken(to revocation: SignOutReport.Revocation, _ report: inout SignOutReport) {
    if report.revocation != .failed { report.revocation = revocation }
  }

  private func failed(_ error: AuthenticationError, _ report: inout SignOutReport) {
    report.revocation = .failed
    report.add(error, "the refresh token could not be revoked: \(error.message)")
  }

  private func outcome(of token: Secret, at endpoint: String) async throws -> RevocationOutcome {
    let form = FormRequest.revocation(
      of: token,
      to: endpoint,
      clientID: context.configuration.clientID,
      authentication: authentication
    )
    let response = try await context.dependencies.post(form)
    return RevocationOutcome(
      status: response.status,
      body: response.body,
      retryAfter: context.dependencies.retryAfter(response)
    )
  }
}

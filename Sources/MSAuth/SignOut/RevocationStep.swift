import OAuth
import Core
import TokenCache
import Transport

/// Has the provider make refresh tokens useless, where it does that (RFC 7009).
struct RevocationStep: Sendable {
  let context: Context
  let authority: Authority
  let metadata: ProviderMetadata

  /// Revokes.
  ///
  /// - Parameters:
  ///   - tokens: The account's refresh tokens.
  ///   - report: Learns how it went.
  func revoke(_ tokens: [RefreshTokenEntry], report: inout SignOutReport) async {
    // A family's refresh token serves other applications too; only ours is taken back.
    let own = tokens.filter { $0.familyID == nil }
    guard !own.isEmpty else { return }
    guard let endpoint = metadata.revocationEndpoint else {
      report.revocation = .notOffered
      if let flaw = metadata.unusableEndpoints["revocation_endpoint"] { failed(flaw, &report) }
      return
    }
    report.revocation = .revoked
    for token in own {
      switch await outcome(of: token.secret, at: endpoint) {
      case .revoked: continue
      case .unsupported:
        // It does not hide that another token was not revoked.
        if report.revocation != .failed { report.revocation = .notOffered }
      case .unavailable: failed("the provider is not available now", &report)
      case .failed(let reason): failed(reason, &report)
      }
    }
  }

  private func failed(_ reason: String, _ report: inout SignOutReport) {
    report.revocation = .failed
    let problem = "the refresh token could not be revoked: \(reason)"
    // Several tokens fail for one reason.
    if !report.problems.contains(problem) { report.problems.append(problem) }
  }

  private func outcome(of token: Secret, at endpoint: String) async -> RevocationOutcome {
    var request = RevocationRequest(token: token, clientID: context.configuration.clientID)
    request.authentication = context.clientAuthentication(at: authority, metadata: metadata)
    do {
      let response = try await context.dependencies.post(request.form(to: endpoint))
      return RevocationOutcome(
        status: response.status,
        body: response.body,
        retryAfter: context.dependencies.retryAfter(response)
      )
    } catch {
      return .failed(AuthenticationError(wrapping: error).message)
    }
  }
}

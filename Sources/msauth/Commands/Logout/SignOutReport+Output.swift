import MSAuth

extension SignOutReport {
  func json(wasCurrent: Bool) -> JSONValue {
    JSONValue([
      "account": account.json(isCurrent: wasCurrent),
      "removed_tokens": removedTokens,
      "revocation": revocation.rawValue,
      "browser": browser.rawValue,
      "device": device == .notAsked ? nil : device.rawValue,
      "problems": problems,
    ])
  }

  /// Prints the steps after the removal; with several accounts, each line names its own.
  func print(isOnly: Bool) {
    func notice(_ message: String) {
      Console.notice(isOnly ? message : "\(account.username.printable()): \(message)")
    }
    switch revocation {
    case .revoked: notice("the provider revoked the refresh token")
    case .notOffered: notice("the provider can't revoke tokens; access tokens expire within about an hour")
    case .notAllowed: notice("the provider doesn't allow this application to revoke tokens")
    // The report's problems give the reason.
    case .nothingToRevoke, .failed: break
    }
    switch browser {
    case .notAsked, .notOpened, .openedOnly, .failed: break
    case .notOffered: notice("the provider has no sign-out page, so the browser stays signed in")
    case .confirmed: notice("the provider confirmed the sign-out in the browser")
    case .unconfirmed:
      notice("the provider redirected back without a state, so the sign-out in the browser isn't confirmed")
    }
    if device == .removed { notice("the device's identity broker no longer has the account") }
    for problem in problems { Console.message(problem.printable()) }
  }
}

extension [SignOutReport] {
  /// The first step that didn't succeed after the tokens were removed.
  var incompleteStep: AuthenticationError? {
    if let report = first(where: { $0.device == .failed }) {
      let message = report.problems.first ?? "the account wasn't removed from this device"
      let code = report.code ?? .internalError
      return AuthenticationError(code, message, reason: "device_removal_failed", hint: report.hint)
    }
    let browserReason: AuthenticationError.Reason = "browser_sign_out_failed"
    let steps: [(AuthenticationError.Code, AuthenticationError.Reason, purpose: String, (SignOutReport) -> Bool)] = [
      (.serverError, "revocation_failed", "end the session there", { $0.revocation == .failed }),
      (.internalError, browserReason, "sign out of the browser", { $0.browser == .failed }),
      (.timedOut, browserReason, "sign out of the browser", { [.notOpened, .openedOnly].contains($0.browser) }),
    ]
    for (code, reason, purpose, isMissing) in steps {
      guard let report = first(where: isMissing) else { continue }
      let message = report.problems.first ?? "the sign-out is incomplete"
      if report.code == .providerUnreachable {
        return AuthenticationError(.providerUnreachable, message, reason: reason, hint: report.hint)
      }
      let hint: Hint = "the tokens were removed; to \(purpose) too, use the provider's own page"
      return AuthenticationError(code, message, reason: reason, hint: hint)
    }
    return nil
  }
}

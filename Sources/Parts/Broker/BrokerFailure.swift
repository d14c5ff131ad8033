package import MSAuthCore

/// Why the broker returned no result.
package struct BrokerFailure: Error, Sendable, Equatable {
  /// MSAL's names for the broker's status, in the order of its numbers; then others.
  package enum Status: String, Sendable, CaseIterable {
    case unexpected, reserved, interactionRequired, noNetwork, networkTemporarilyUnavailable
    case serverTemporarilyUnavailable, apiContractViolation, userCanceled, applicationCanceled, incorrectConfiguration
    case insufficientBuffer, authorityUntrusted, userSwitch, accountUnusable, userDataRemovalRequired, transientError
    case accountSwitch, deviceNotRegistered, keyNotFound, accountNotFound, requiredBrokerMissing, fallbackToNativeMsal
    // Failures of the call itself.
    case absent, busFailed, rejected, timedOut, canceled, unusable
  }

  package let status: Status
  /// The broker's text, which may contain an error number of Entra's (`AADSTS50076`).
  package let detail: String

  package init(_ status: Status, _ detail: String = "") {
    (self.status, self.detail) = (status, detail.printable(limit: 400))
  }

  static let absent = Self(.absent)
  /// Whether there is no broker, or it leaves the request to the application.
  package var isAbsent: Bool { [.absent, .requiredBrokerMissing, .fallbackToNativeMsal].contains(status) }

  /// Whether the broker has no account; Himmelblau reports that only as text.
  package var meansNoAccount: Bool {
    [.accountNotFound, .deviceNotRegistered].contains(status)
      || status == .rejected && detail == "Unable to find account"
  }

  /// Whether a sign-in may help after a silent request.
  private var needsSignIn: Bool {
    // Broker 3.0.1: "declined scopes are present", which needs the user's consent.
    isAbsent || status == .rejected || status == .apiContractViolation && detail.contains("eclined scopes")
  }

  /// The reasons of errors from a broker that is missing or doesn't work.
  package static let downReasons = [absent, Self(.busFailed), Self(.timedOut)].map(\.reason)

  static func unusable(_ why: String) -> Self { Self(.unusable, why) }

  /// An error of the bus, or one that the broker returned as such, as Himmelblau does.
  init(busError: String) {
    let prefix = "GDBus.Error:"
    let parts = busError.utf8.starts(with: prefix.utf8) ? busError.split(at: " ", maxSplits: 1) : []
    // Himmelblau's other form.
    let isRejected = parts.first == prefix + "org.freedesktop.DBus.Error.Failed:"
    self.init(isRejected ? .rejected : .busFailed, parts.count == 2 ? parts[1] : busError)
  }

  /// The broker's error: `{context, diagnostics, errorCode, status, subStatus, tag}`, of which each may be missing.
  init(_ error: JSONValue, telemetry: JSONValue?) {
    let name = (error["telemetry"] ?? telemetry)?["api_status_code"] ?? .null
    let status = [error["status"], name].firstNonNil { Status($0) } ?? .unexpected
    let text = error.string ?? error["context"]?.string ?? ""
    // Microsoft's errors have a tag or a code; Himmelblau's have neither, whatever the cause.
    let isTagged = error["tag"] != nil || error["errorCode"] != nil
    let isRejected =
      BrokerResponse.integer(error["status"]) == 0 && !isTagged && Self.rejections.contains(where: text.hasPrefix)
    self.init(isRejected ? .rejected : status, text)
  }

  /// The beginnings of Himmelblau's errors that a sign-in may resolve.
  private static let rejections = ["Failed to authenticate user", "Missing account", "Unable to find account"]
}

extension BrokerFailure.Status {
  /// Reads a number, which may be text, or a name such as `StatusInternal::InteractionRequired`.
  init?(_ value: JSONValue?) {
    let all = Self.allCases.prefix { $0 != .absent }
    if let number = BrokerResponse.integer(value) {
      self = all.indices.contains(Int(clamping: number)) ? all[Int(clamping: number)] : .unexpected
      return
    }
    guard let name = value?.string?.split(at: ":").last?.lowercased() else { return nil }
    // The user's and the application's cancellations have two names each.
    let names = ["appcanceled": "applicationcanceled", "usercancelled": "usercanceled"]
    guard let found = all.first(where: { $0.rawValue.lowercased() == names[name] ?? name }) else { return nil }
    self = found
  }
}

extension BrokerFailure {
  private static let browser: Hint =
    "sign in through the browser (\(setting: "broker", "never", or: "the broker setting"))"
  private static let restart: Hint = "restart the broker, or \(browser)"
  private static let later: Hint = "\(.longerTimeout), or \(browser)"
  private static let ownTool: Hint = "remove the account with the broker's own tool"
  private static let enroll: Hint =
    "enroll this device with its broker (Company Portal with Intune, or Himmelblau), or \(browser)"
  private static let signIn: Hint = "\(action: .signInThroughBroker, or: "sign in again, through the broker")"
  private static let authority: Hint = "check \(setting: "authority", "URL", or: "the authority")"
  private static let redirect: Hint =
    "register `\(BrokerRequest.redirectURI)` under Authentication, Mobile and desktop applications"

  package var error: AuthenticationError { error(of: .accounts) }

  /// The error for the caller of a method.
  package func error(of method: Broker.Method) -> AuthenticationError {
    // After a failed sign-in through the broker, suggest the browser, not the broker again.
    let signIn = method == .interactive ? Self.browser : Self.signIn
    let restart = method == .removal ? Self.ownTool : Self.restart
    let (code, what, hint): (AuthenticationError.Code, String, Hint?) =
      switch status {
      case .interactionRequired, .accountUnusable: (.interactionRequired, "requires a sign-in", signIn)
      case .noNetwork, .networkTemporarilyUnavailable, .serverTemporarilyUnavailable, .transientError:
        (.providerUnreachable, "can't reach the provider", nil)
      case .userCanceled, .applicationCanceled:
        (.userCanceled, "reports that the sign-in was canceled", .tryAgain)
      case .incorrectConfiguration: (.invalidConfiguration, "isn't allowed by the app's registration", Self.redirect)
      case .authorityUntrusted: (.invalidConfiguration, "doesn't trust the authority", Self.authority)
      case .userSwitch, .accountSwitch: (.interactionRequired, "switched to another account", signIn)
      case .userDataRemovalRequired:
        (.interactionRequired, "no longer has the account, which its organization removed", Self.enroll)
      case .deviceNotRegistered, .keyNotFound:
        (.interactionRequired, "reports that this device isn't enrolled, or that its key is missing", Self.enroll)
      case .accountNotFound: (.interactionRequired, "doesn't have the account", signIn)
      case .absent: (.invalidConfiguration, "isn't on the session bus", Self.enroll)
      case .requiredBrokerMissing, .fallbackToNativeMsal:
        (.invalidConfiguration, "leaves the request to the browser", Self.enroll)
      case .unexpected, .reserved, .apiContractViolation, .insufficientBuffer, .rejected:
        (.serverError, "failed", restart)
      case .busFailed: (.internalError, "failed", restart)
      case .timedOut: (.timedOut, "didn't respond", method == .interactive ? Self.later : restart)
      case .canceled: (.canceled, method == .interactive ? "the sign-in was canceled" : "canceled", nil)
      case .unusable: (.invalidResponse, "returned a response that can't be used", restart)
      }
    let broker = status == .canceled ? "" : "the device's identity broker "
    let message = broker + what + (detail.isEmpty ? "" : ": \(detail)")
    if method == .silent, needsSignIn {
      return AuthenticationError(.interactionRequired, message, reason: reason, hint: isAbsent ? .signIn : Self.signIn)
    }
    return AuthenticationError(code, message, reason: reason, hint: hint)
  }

  /// Such as `broker_user_canceled`.
  private var reason: AuthenticationError.Reason {
    if isAbsent { return .brokerAbsent }
    let letters = status.rawValue.map { ($0.isUppercase ? "_" : "") + $0.lowercased() }.joined()
    return AuthenticationError.Reason(rawValue: "broker_\(letters)")
  }
}

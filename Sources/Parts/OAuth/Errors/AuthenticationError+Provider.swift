public import MSAuthCore

extension AuthenticationError {
  /// The provider's error.
  public var provider: ProviderError? {
    get { self[ProviderError.self] }
    set { self[ProviderError.self] = newValue }
  }

  /// A provider's error response, from the browser or from an endpoint.
  package init(_ response: ProviderError, userWasPrompted: Bool = false, isRefresh: Bool = false) {
    let isRefusal = userWasPrompted && ["consent_required", "login_required"].contains(response.error)
    let code: Code =
      if isRefresh, response.refreshMeaning != nil {
        .interactionRequired
      } else if response.meansDenied || isRefusal {
        .userCanceled
      } else if response.meansInteractionRequired {
        .interactionRequired
      } else if response.meansTryAgain {
        .providerUnreachable
      } else {
        .serverError
      }
    let entry = response.knownCode?.entry
    let message: String =
      switch code {
      case .userCanceled where response.meansPolicy: "the sign-in was denied: \(entry?.meaning ?? response.message)"
      case .userCanceled: "the sign-in was denied or canceled (\(response.error))"
      case .interactionRequired: "sign in again: \(entry?.meaning ?? response.message)"
      default: "the provider rejected the request: \(entry?.meaning ?? response.message)"
      }
    self.init(
      code,
      message,
      reason: Reason(rawValue: response.error),
      hint: entry?.hint ?? response.proofHint
        ?? (code == .userCanceled ? "\(signIn: []) and accept the requested permissions" : nil)
    )
    provider = response
  }
}

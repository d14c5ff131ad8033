/// Signs the user in through a browser on another device (RFC 8628).
struct DeviceCodeFlow: Sendable {
  let context: Context
  let request: ResolvedRequest
  let onCode: @Sendable (DeviceCode) -> Void

  func run() async throws(AuthenticationError) -> TokenResult {
    if context.configuration.requiresBroker(at: request.authority) {
      let message = "a device code can't be used while the device's identity broker is required"
      throw AuthenticationError(.invalidConfiguration, message, reason: "broker_required")
    }
    let hint: Hint = "sign in through the browser"
    guard request.extraQuery.isEmpty, request.interaction.acrValues == nil, request.interaction.maxAge == nil else {
      let message = "a sign-in with a device code can't have extra parameters, acr_values or max_age"
      throw AuthenticationError(.invalidParameter, message, reason: "device_code_parameter", hint: hint)
    }

    // 1. The authority's metadata, with a device authorization endpoint.
    let provider = try await Provider(forSignIn: request, context)
    let (authority, metadata) = (provider.authority, provider.metadata)
    guard let endpoint = metadata.deviceAuthorizationEndpoint else {
      let flaw = metadata.ignoredMembers["device_authorization_endpoint"].map { ": \($0)" } ?? ""
      let message = "the provider doesn't offer device codes\(flaw)"
      throw AuthenticationError(.invalidConfiguration, message, reason: "device_code_not_offered", hint: hint)
    }
    do {
      // 2. A code for the user, and one for this process.
      let scopes = request.scopes.forRequest(authority: authority, metadata: metadata)
      let form = FormRequest.deviceAuthorization(
        to: endpoint,
        from: provider.client,
        scopes: scopes,
        claims: request.claims,
        resource: request.sentResource
      )
      let device = try DeviceAuthorizationResponse(try await context.dependencies.post(form, isRepeatable: true))
      context.log(ignoredMembers: device.ignoredMembers)
      onCode(try DeviceCode(device))

      // 3. Poll until the user is done on the other device.
      let tokenRequest = request.tokenRequest(.deviceCode(device.deviceCode))
      let response = try await poll(tokenRequest, scopes: scopes, for: device, provider)

      // 4. Validate and save as after any sign-in.
      return try await provider.save(response, for: request, authorization: nil)
    } catch {
      throw provider.withProviderHint(error)
    }
  }

  private func poll(
    _ tokenRequest: TokenRequest,
    scopes: Scopes,
    for device: DeviceAuthorizationResponse,
    _ provider: Provider
  ) async throws(AuthenticationError) -> TokenResponse {
    let lifetime: Duration = .seconds(device.expiresIn)
    let timeout = min(request.interaction.timeout ?? lifetime, lifetime)
    let deadline = ContinuousClock.now.advanced(by: timeout)
    // Thrown instead of a timeout: the user may have entered the code while the provider was unreachable.
    var lastFailure: AuthenticationError?
    var interval = device.interval
    // After a failure, the interval doubles until the next response (RFC 8628 §3.5).
    var backoff = interval
    var wait = interval
    while true {
      do {
        // The time limit doesn't cancel the request: its response may have the only tokens for the code.
        try await withTimeout(deadline - .now) { [wait] in try await context.dependencies.pause(wait) }
        return try await provider.tokens(for: tokenRequest, requesting: scopes)
      } catch {
        if error == .timeout {
          throw lastFailure ?? (timeout < lifetime ? Self.notEntered(within: timeout) : Self.expired)
        }
        if let response = error.provider {
          switch DevicePoll(response) {
          case .pending: lastFailure = nil
          case .slowDown:
            lastFailure = nil
            interval += DeviceAuthorizationResponse.slowDownSeconds
          case .expired: throw lastFailure ?? Self.expired
          case .failed: throw error
          }
          backoff = interval
          wait = interval
        } else if error.code == .providerUnreachable {
          lastFailure = error
          backoff = min(2 * backoff, max(interval, DeviceAuthorizationResponse.intervalLimit))
          wait = max(backoff, error.retryAfter?.secondsRoundedUp ?? 0)
        } else {
          throw error
        }
      }
    }
  }

  private static var expired: AuthenticationError {
    let message = "the code expired before it was entered"
    return AuthenticationError(.timedOut, message, reason: "device_code_expired", hint: .tryAgain)
  }

  /// The caller's timeout was shorter than the code's lifetime.
  private static func notEntered(within timeout: Duration) -> AuthenticationError {
    let message = "the code wasn't entered within \(timeout.words)"
    return AuthenticationError(.timedOut, message, reason: "device_code_not_entered", hint: .longerTimeout)
  }
}

import MSAuth

extension MSALPublicClientApplication {
  /// Signs the user in through the system browser and returns a token.
  @preconcurrency
  public func acquireToken(
    with parameters: MSALInteractiveTokenParameters,
    completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
  ) {
    complete(completionBlock, on: parameters.completionBlockQueue ?? .main, acquiring(parameters.tokenParameters))
  }

  /// Signs the user in through the system browser and returns a token; ``MSALError/userCanceled`` if the task is
  /// canceled.
  public func acquireToken(with parameters: MSALInteractiveTokenParameters) async throws -> MSALResult {
    try await acquiring(parameters.tokenParameters)()
  }

  /// Returns a token without user interaction, from the store or refreshed.
  @preconcurrency
  public func acquireTokenSilent(
    with parameters: MSALSilentTokenParameters,
    completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
  ) {
    complete(completionBlock, on: parameters.completionBlockQueue ?? .global(), acquiring(parameters.tokenParameters))
  }

  /// Returns a token without user interaction, from the store or refreshed.
  public func acquireTokenSilent(with parameters: MSALSilentTokenParameters) async throws -> MSALResult {
    try await acquiring(parameters.tokenParameters)()
  }

  /// The parameters are read at once, while the caller waits: later changes to them have no effect.
  private func acquiring(_ parameters: (MSALSliceConfig?) throws -> TokenParameters)
    -> @Sendable () async throws -> MSALResult
  {
    let (application, externalAccounts) = (application, externalAccounts)
    let prepared = Result {
      var request = try parameters(configuration.sliceConfig)
      let session = request.interaction == nil ? nil : try InteractiveSession.begin()
      request.interaction?.onEvent = { session?.handle($0) }
      return (request, session)
    }
    return {
      let (request, session) = try prepared.get()
      return try await withNSErrors(about: request.account) {
        let token =
          if let session {
            try await session.run { try await application.signIn(with: request) }
          } else {
            try await application.token(with: request)
          }
        let result = MSALResult(token)
        externalAccounts.update(result)
        return result
      }
    }
  }
}

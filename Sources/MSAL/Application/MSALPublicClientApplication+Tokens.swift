import MSAuth

extension MSALPublicClientApplication {
  /// Signs the user in through the system browser and returns a token.
  @preconcurrency
  public func acquireToken(
    with parameters: MSALInteractiveTokenParameters,
    completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
  ) {
    complete(completionBlock, on: parameters.completionBlockQueue ?? .main, acquiring(parameters))
  }

  /// Signs the user in through the system browser and returns a token; ``MSALError/userCanceled`` if the task is
  /// canceled.
  public func acquireToken(with parameters: MSALInteractiveTokenParameters) async throws -> MSALResult {
    try await acquiring(parameters)()
  }

  /// Returns a token without user interaction, from the store or refreshed.
  @preconcurrency
  public func acquireTokenSilent(
    with parameters: MSALSilentTokenParameters,
    completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
  ) {
    complete(completionBlock, on: parameters.completionBlockQueue ?? .global(), acquiring(parameters))
  }

  /// Returns a token without user interaction, from the store or refreshed.
  public func acquireTokenSilent(with parameters: MSALSilentTokenParameters) async throws -> MSALResult {
    try await acquiring(parameters)()
  }

  // The parameters are read at once, while the caller waits: later changes to them have no effect.

  private func acquiring(_ parameters: MSALInteractiveTokenParameters) -> @Sendable () async throws -> MSALResult {
    let (application, externalAccounts) = (application, externalAccounts)
    let prepared = Result {
      var request = try parameters.tokenParameters(slice: configuration.sliceConfig)
      let session = try InteractiveSession.begin()
      request.interaction?.onEvent = { session.handle($0) }
      return (request, session)
    }
    return {
      let (request, session) = try prepared.get()
      return try await withNSErrors(about: request.account) {
        let result = MSALResult(try await session.run { try await application.signIn(with: request) })
        externalAccounts.update(result)
        return result
      }
    }
  }

  private func acquiring(_ parameters: MSALSilentTokenParameters) -> @Sendable () async throws -> MSALResult {
    let (application, externalAccounts) = (application, externalAccounts)
    let request = Result { try parameters.tokenParameters(slice: configuration.sliceConfig) }
    return {
      let request = try request.get()
      return try await withNSErrors(about: request.account) {
        let result = MSALResult(try await application.token(with: request))
        externalAccounts.update(result)
        return result
      }
    }
  }
}

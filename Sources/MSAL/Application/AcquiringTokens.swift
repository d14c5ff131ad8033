import Dispatch
import Foundation
import MSAuth

extension MSALPublicClientApplication {
  /// Signs the user in through the system browser and returns a token.
  @preconcurrency
  public func acquireToken(
    with parameters: MSALInteractiveTokenParameters,
    completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
  ) {
    CompletionQueue(parameters, default: .main).finish(acquiring(parameters)) { result in
      completionBlock(result.value, result.error)
    }
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
    CompletionQueue(parameters, default: .global()).finish(acquiring(parameters)) { result in
      completionBlock(result.value, result.error)
    }
  }

  /// Returns a token without user interaction, from the store or refreshed.
  public func acquireTokenSilent(with parameters: MSALSilentTokenParameters) async throws -> MSALResult {
    try await acquiring(parameters)()
  }

  // The parameters are read at once, while the caller waits: later changes to them have no effect.

  private func acquiring(_ parameters: MSALInteractiveTokenParameters) -> @Sendable () async throws -> MSALResult {
    let (application, externalAccounts) = (application, externalAccounts)
    let request: TokenParameters
    do {
      request = try parameters.record(slice: configuration.sliceConfig)
    } catch {
      return { throw error }
    }
    guard let session = InteractiveSession.begin() else {
      return { throw MSALInternalError.interactiveSessionAlreadyRunning.error("another session waits for the browser") }
    }
    return {
      var request = request
      request.interaction?.onEvent = { session.report($0) }
      let parameters = request
      do {
        let result = MSALResult(try await session.run { try await application.acquireToken(with: parameters) })
        externalAccounts.update(result)
        return result
      } catch {
        throw NSError(wrapping: error, about: parameters.account, asking: parameters.scopes)
      }
    }
  }

  private func acquiring(_ parameters: MSALSilentTokenParameters) -> @Sendable () async throws -> MSALResult {
    let (application, externalAccounts) = (application, externalAccounts)
    let request = Result { try parameters.record(slice: configuration.sliceConfig) }
    return {
      let request = try request.get()
      do {
        let result = MSALResult(try await application.acquireTokenSilent(with: request))
        externalAccounts.update(result)
        return result
      } catch {
        throw NSError(wrapping: error, about: request.account, asking: request.scopes)
      }
    }
  }
}

extension Result {
  var value: Success? { try? get() }

  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

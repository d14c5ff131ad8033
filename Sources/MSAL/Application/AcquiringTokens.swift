import Dispatch
import Foundation
import MSAuth

extension MSALPublicClientApplication {
  /// Signs a person in with the system's browser and brings a token.
  ///
  /// - Parameters:
  ///   - parameters: What to ask for.
  ///   - completionBlock: Gets the result or an `NSError` in ``MSALErrorDomain``; on the main queue unless the parameters
  ///     name another.
  @preconcurrency
  public func acquireToken(
    with parameters: MSALInteractiveTokenParameters,
    completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
  ) {
    let queue = CompletionQueue(parameters, default: .main)
    let request = Result { try interactive(parameters) }
    let session = (try? request.get()).flatMap { _ in InteractiveSession.begin() }
    let application = application
    queue.finish {
      var request = try request.get()
      guard let session else {
        throw MSALInternalError.interactiveSessionAlreadyRunning.error("another sign-in waits for the browser")
      }
      request.onEvent = { session.heed($0) }
      let parameters = request
      return try await session.run {
        do {
          return MSALResult(try await application.acquireToken(with: parameters))
        } catch {
          throw NSError(wrapping: error, about: parameters.account, asking: parameters.scopes)
        }
      }
    } _: { result in
      completionBlock(result.value, result.error)
    }
  }

  /// Brings a token without a person, from the store or renewed.
  ///
  /// - Parameters:
  ///   - parameters: What to ask for, and whose token.
  ///   - completionBlock: Gets the result or an `NSError` in ``MSALErrorDomain``; on any queue unless the parameters name
  ///     one.
  @preconcurrency
  public func acquireTokenSilent(
    with parameters: MSALSilentTokenParameters,
    completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
  ) {
    let queue = CompletionQueue(parameters, default: .global())
    let request = Result { try silent(parameters) }
    let application = application
    queue.finish {
      let request = try request.get()
      do {
        return MSALResult(try await application.acquireTokenSilent(with: request))
      } catch {
        throw NSError(wrapping: error, about: request.account, asking: request.scopes)
      }
    } _: { result in
      completionBlock(result.value, result.error)
    }
  }

  private func interactive(_ parameters: MSALInteractiveTokenParameters) throws -> InteractiveTokenParameters {
    try parameters.refuseOtherSchemes()
    var request = InteractiveTokenParameters(scopes: parameters.scopes)
    request.account = parameters.account?.record
    request.authority = parameters.authority?.rule
    request.prompt = parameters.promptType.record
    request.loginHint = parameters.loginHint
    request.domainHint = parameters.domainHint
    request.extraScopesToConsent = parameters.extraScopesToConsent ?? []
    request.claims = parameters.claimsRequest?.record.json
    request.correlationID = parameters.correlationId?.uuidString.lowercased()
    request.extraQueryParameters = extraQuery(parameters)
    if parameters.preferredAuthMethod == .qrpin {
      request.extraQueryParameters.append(("pc", "18"))
    }
    return request
  }

  private func silent(_ parameters: MSALSilentTokenParameters) throws -> SilentTokenParameters {
    try parameters.refuseOtherSchemes()
    guard let account = parameters.account else {
      throw NSError(AuthenticationError(.accountRequired, "a silent request needs an account"))
    }
    var request = SilentTokenParameters(scopes: parameters.scopes, account: account.record)
    request.authority = parameters.authority?.rule
    request.forceRefresh = parameters.forceRefresh
    request.claims = parameters.claimsRequest?.record.json
    request.correlationID = parameters.correlationId?.uuidString.lowercased()
    return request
  }

  private func extraQuery(_ parameters: MSALTokenParameters) -> [(name: String, value: String)] {
    let own = (parameters.extraQueryParameters ?? [:]).sorted { $0.key < $1.key }.map {
      (name: $0.key, value: $0.value)
    }
    return own + (configuration.sliceConfig?.parameters ?? [])
  }
}

extension MSALTokenParameters {
  fileprivate func refuseOtherSchemes() throws {
    guard authenticationScheme.map({ $0.scheme == .bearer }) ?? true else {
      throw MSALInternalError.invalidParameter.error("only bearer tokens are available on Linux")
    }
  }
}

extension Result {
  var value: Success? { try? get() }

  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

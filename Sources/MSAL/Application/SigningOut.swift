import Dispatch
import Foundation
import MSAuth

/// Receives whether a sign-out succeeded, and why not.
public typealias MSALSignoutCompletionBlock = (Bool, (any Error)?) -> Void

extension MSALPublicClientApplication {
  /// Removes an account's tokens from the store, and tells nobody.
  ///
  /// It waits for another process that writes the store, so that it may take a while.
  ///
  /// - Parameter account: Whose tokens.
  /// - Throws: `NSError` in ``MSALErrorDomain`` when the store cannot be written.
  public func remove(_ account: MSALAccount) throws {
    let application = application
    let record = account.record
    let outcome = BlockingResult<Bool>()
    Task.detached {
      do {
        outcome.give(.success(try await application.removeAccount(record)))
      } catch {
        outcome.give(.failure(NSError(wrapping: error, about: record)))
      }
    }
    _ = try outcome.wait()
  }

  /// Signs one account out: here always, and in the browser if the parameters say so.
  ///
  /// - Parameters:
  ///   - account: Whose sign-out.
  ///   - signoutParameters: How far it goes.
  ///   - completionBlock: Gets whether it succeeded; on the main queue unless the parameters name another. That the
  ///     person closed the sign-out page counts as success, as in MSAL.
  @preconcurrency
  public func signout(
    with account: MSALAccount,
    signoutParameters: MSALSignoutParameters,
    completionBlock: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    let record = account.record
    let queue = CompletionQueue(signoutParameters, default: .main)
    var request = SignOutParameters()
    request.fromBrowser = signoutParameters.signoutFromBrowser
    request.wipesAccount = signoutParameters.wipeAccount
    let session = request.fromBrowser ? InteractiveSession.begin() : nil
    let parameters = request
    let application = application
    queue.finish {
      do {
        guard parameters.fromBrowser else {
          return try await application.signOut(record, with: parameters)
        }
        guard let session else {
          throw MSALInternalError.interactiveSessionAlreadyRunning.error("another session waits for the browser")
        }
        var parameters = parameters
        parameters.onEvent = { session.heed($0) }
        let request = parameters
        return try await session.run { try await application.signOut(record, with: request) }
      } catch let error as NSError where error.domain == MSALErrorDomain {
        throw error
      } catch {
        throw NSError(wrapping: error, about: record)
      }
    } _: { result in
      completionBlock(result.error == nil, result.error)
    }
  }
}

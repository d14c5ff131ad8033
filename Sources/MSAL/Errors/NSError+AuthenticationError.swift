import Foundation
import MSAuth

extension NSError {
  /// An error of MSAuth with MSAL's domain, code and user info.
  convenience init(_ error: AuthenticationError, about account: Account? = nil, asking asked: [String] = []) {
    let known: [String: Any?] = [
      MSALErrorDescriptionKey: error.message,
      NSLocalizedDescriptionKey: error.message,
      MSALInternalErrorCodeKey: error.msalInternalCode,
      NSLocalizedRecoverySuggestionErrorKey: error.hint?.description,
      MSALOAuthErrorKey: error.provider?.error,
      MSALOAuthSubErrorKey: error.provider?.subError,
      MSALCorrelationIDKey: error.provider?.correlationID,
      MSALHTTPResponseCodeKey: error.httpStatus.map(String.init),
      MSALThrottlingCacheHitKey: error.isThrottled ? true : nil,
      MSALHomeAccountIdKey: (error.result?.account ?? account)?.identifier,
      MSALDisplayableUserIdKey: (error.result?.account ?? account)?.username,
      NSUnderlyingErrorKey: error,
    ]
    var info = known.compactMapValues { $0 }
    if let codes = error.provider?.codes, !codes.isEmpty {
      info[MSALSTSErrorCodesKey] = codes
    }
    if let result = error.result {
      let granted = Set(result.scopes.map { $0.lowercased() })
      info[MSALInvalidResultKey] = MSALResult(result)
      info[MSALGrantedScopesKey] = result.scopes
      info[MSALDeclinedScopesKey] = asked.filter { !granted.contains($0.lowercased()) }
    }
    // As in MSAL, network failures have the URL loading system's domain.
    let isOffline = error.code == .providerUnreachable && error.reason == .unreachable
    self.init(
      domain: isOffline ? NSURLErrorDomain : MSALErrorDomain,
      code: isOffline ? NSURLErrorCannotConnectToHost : error.msalCode,
      userInfo: info
    )
  }

  /// Any error, with MSAL's domain, code and user info.
  convenience init(wrapping error: any Error, about account: Account? = nil, asking asked: [String] = []) {
    let known = error as? AuthenticationError
    let other = AuthenticationError(
      error is CancellationError ? .canceled : .internalError,
      error is CancellationError ? "canceled" : "unexpected error: \(error)"
    )
    self.init(known ?? other, about: account, asking: asked)
  }
}

extension MSALInternalError {
  /// This failure as MSAL reports it.
  func error(_ description: String) -> NSError {
    NSError(
      domain: MSALErrorDomain,
      code: MSALError.internal.rawValue,
      userInfo: [
        MSALInternalErrorCodeKey: rawValue, MSALErrorDescriptionKey: description,
        NSLocalizedDescriptionKey: description,
      ]
    )
  }
}

/// Runs an MSAuth call and converts its errors to MSAL's.
func nsError<Value>(_ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let error as NSError where error.domain == MSALErrorDomain {
    throw error
  } catch {
    throw NSError(wrapping: error)
  }
}

import MSAuth

extension NSError {
  /// An error of MSAuth with MSAL's domain, code and user info.
  convenience init(_ error: AuthenticationError, about account: Account? = nil) {
    let known: [String: Any?] = [
      MSALErrorDescriptionKey: error.message,
      NSLocalizedDescriptionKey: error.message,
      MSALInternalErrorCodeKey: error.msalInternalCode,
      NSLocalizedRecoverySuggestionErrorKey: error.hint?.description,
      MSALOAuthErrorKey: error.provider?.error,
      MSALSTSErrorCodesKey: error.provider.flatMap { $0.codes.isEmpty ? nil : $0.codes },
      MSALOAuthSubErrorKey: error.provider?.subError,
      MSALCorrelationIDKey: error.provider?.correlationID,
      MSALHTTPResponseCodeKey: error.httpStatus.map(String.init),
      MSALThrottlingCacheHitKey: error.isThrottled ? true : nil,
      MSALHomeAccountIdKey: (error.result?.account ?? account)?.identifier,
      MSALDisplayableUserIdKey: (error.result?.account ?? account)?.username,
      NSUnderlyingErrorKey: error,
    ]
    var info = known.compactMapValues { $0 }
    if let result = error.result {
      info[MSALInvalidResultKey] = MSALResult(result)
      info[MSALGrantedScopesKey] = result.scopes
      info[MSALDeclinedScopesKey] = error.declinedScopes
    }
    // As in MSAL, network failures have the URL loading system's domain.
    let isOffline = error.code == .providerUnreachable && error.reason == .unreachable
    self.init(
      domain: isOffline ? NSURLErrorDomain : MSALErrorDomain,
      code: isOffline ? NSURLErrorCannotConnectToHost : error.msalCode.rawValue,
      userInfo: info
    )
  }

  /// Any error, with MSAL's domain, code and user info.
  static func wrapping(_ error: any Error, about account: Account?) -> NSError {
    let known = error as NSError
    if known.domain == MSALErrorDomain { return known }
    return NSError(AuthenticationError(wrapping: error), about: account)
  }
}

extension MSALInternalError {
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
func withNSErrors<Value>(about account: Account? = nil, _ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch {
    throw NSError.wrapping(error, about: account)
  }
}

/// Runs an asynchronous MSAuth call and converts its errors to MSAL's.
func withNSErrors<Value>(
  about account: Account? = nil,
  _ body: () async throws -> Value
) async throws -> Value {
  do {
    return try await body()
  } catch {
    throw NSError.wrapping(error, about: account)
  }
}

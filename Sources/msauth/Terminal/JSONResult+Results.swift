import FoundationEssentials
import MSAuth

extension JSONResult {
  /// The result of `login` and `token`; only `token` adds the token itself.
  init(_ result: TokenResult, isCurrent: Bool?) {
    self.init([
      "account": result.account.json(tenantID: result.tenantID, isCurrent: isCurrent),
      "token_type": result.tokenType,
      "expires_on": result.expiresOn.unixTime,
      "expires_on_utc": result.expiresOn.formatted(.iso8601),
      "scopes": result.scopes,
      "authority": result.authority.url,
      "correlation_id": result.correlationID.isEmpty ? nil : result.correlationID,
      "from_cache": result.isFromCache,
    ])
  }
}

extension AuthenticationError {
  func json(exit: Int32) -> JSONValue {
    JSONValue([
      "code": code.rawValue,
      "reason": reason?.rawValue,
      "message": message,
      "hint": hint?.commandLine,
      "exit": Int(exit),
      "correlation_id": provider?.correlationID,
      "provider": provider.map(\.json),
      "candidates": candidates.isEmpty ? nil : candidates.map { $0.json() },
    ])
  }
}

extension ProviderError {
  fileprivate var json: JSONValue {
    JSONValue([
      "error": error, "description": description, "suberror": subError, "codes": codes, "claims": claims,
      "trace_id": traceID,
    ])
  }
}

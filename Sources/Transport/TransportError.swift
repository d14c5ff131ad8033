/// Why there is no response.
package struct TransportError: Error, Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// Name not resolved, connection refused or lost, or nothing answered in time: trying again may help.
    case unreachable
    /// The server's certificate or the TLS handshake failed.
    case untrusted
    /// The certificate is not valid at the time that the computer's clock says.
    case untrustedDate
    /// The response was larger than the limit.
    case tooLarge
    /// The URL is not allowed (scheme, user part, control characters).
    case refused
    /// libcurl could not be loaded.
    case unavailable
    /// The task was cancelled.
    case cancelled
  }

  package var kind: Kind
  /// Host and port asked, for the message.
  package var host: String
  /// What happened, in words fit for a terminal.
  package var message: String

  package init(_ kind: Kind, host: String, message: String) {
    self.kind = kind
    self.host = host
    self.message = message
  }
}

package import Core

/// Why there is no response.
package struct TransportError: Error, Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// Name not resolved, connection refused or lost, or nothing answered in time: trying again may help.
    case unreachable
    /// The server's certificate or the TLS handshake failed.
    case untrusted
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
  /// What to do about it, where that is more exact than what the kind says.
  package var remedy: Remedy?

  package init(_ kind: Kind, host: String, message: String, remedy: Remedy? = nil) {
    self.kind = kind
    self.host = host
    self.message = message
    self.remedy = remedy
  }
}

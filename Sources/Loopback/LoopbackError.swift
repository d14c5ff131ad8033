/// Why there is no listener.
package struct LoopbackError: Error, Sendable, Equatable {
  /// The kinds that a caller tells apart.
  package enum Kind: String, Sendable {
    /// Another program listens on the port.
    case portInUse = "port_in_use"
    /// The port is one that this user may not bind (below 1024), or that browsers refuse to visit.
    case portNotAllowed = "port_not_allowed"
    /// The machine has no such loopback address.
    case addressUnavailable = "address_unavailable"
    /// The process or the machine has no descriptors left.
    case tooManyFiles = "too_many_files"
    /// The listener was closed, or it runs already.
    case notListening = "not_listening"
    /// Another answer of the system.
    case system = "system"
  }

  package var kind: Kind
  /// The port asked for; 0 for any.
  package var port: UInt16
  /// What happened, in words fit for a terminal.
  package var message: String

  package init(_ kind: Kind, port: UInt16, message: String) {
    self.kind = kind
    self.port = port
    self.message = message
  }
}

extension LoopbackError: CustomStringConvertible {
  package var description: String { message }
}

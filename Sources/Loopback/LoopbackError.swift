internal import Glibc

/// Why there is no listener.
package struct LoopbackError: Error, Sendable, Equatable {
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
    /// Another error of the system.
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

  init(_ failure: SocketFailure, host: LoopbackHost, port: UInt16) {
    let target = port == 0 ? "a port of \(host.uriHost)" : "port \(port) of \(host.uriHost)"
    let (kind, reason): (Kind, String) =
      switch failure.number {
      case EADDRINUSE: (.portInUse, "another program listens there")
      case EACCES, EPERM:
        (.portNotAllowed, 1..<1024 ~= port ? "only root may listen below 1024" : "the system does not allow it")
      case EADDRNOTAVAIL, EAFNOSUPPORT: (.addressUnavailable, "this machine has no such address")
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: (.tooManyFiles, "no descriptors or memory left")
      default: (.system, String(cString: strerror(failure.number)))
      }
    self.init(kind, port: port, message: "cannot listen on \(target): \(reason)")
  }
}

extension LoopbackError: CustomStringConvertible {
  package var description: String { message }
}

package import Desktop
package import Loopback

/// Opens the listener for a redirect.
package protocol RedirectListening: Sendable {
  /// Binds the loopback addresses of a redirect URI's host.
  func listen(on host: LoopbackHost, port: UInt16) async throws(LoopbackError) -> any RedirectListener
}

/// A listener for a redirect, whose port is ours from the beginning to the end.
package protocol RedirectListener: Sendable {
  var host: LoopbackHost { get }
  var port: UInt16 { get }
  /// Whether connections of other users are recognised.
  var recognisesUsers: Bool { get }

  /// Serves connections until the task is cancelled or ``close()`` is called; the same as `LoopbackListener`'s.
  func run(
    onEvent: @escaping @Sendable (LoopbackListener.Event) -> Void,
    refusal: @escaping @Sendable (_ status: Int, LoopbackRequest?) -> LoopbackResponse?,
    _ respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
  ) async throws(LoopbackError)

  /// Frees the port.
  func close()
}

extension LoopbackListener: RedirectListener {
  package var recognisesUsers: Bool { peerOwner.recognisesUsers }
}

/// Listens on this computer.
package struct SystemListening: RedirectListening {
  private let session: DesktopSession

  package init(session: DesktopSession) {
    self.session = session
  }

  package func listen(on host: LoopbackHost, port: UInt16) async throws(LoopbackError) -> any RedirectListener {
    let peerOwner = PeerOwner.system(isWSL: session.isWSL)
    // A port that stays, where a person forwards it; it may be taken.
    let preferred = port == 0 ? session.preferredPort : nil
    if let preferred, let stable = try? LoopbackListener(host, port: preferred, peerOwner: peerOwner) {
      return stable
    }
    return try LoopbackListener(host, port: port, peerOwner: peerOwner)
  }
}

extension Dependencies {
  /// Opens the listener for a redirect target.
  func listener(for target: RedirectTarget) async throws -> any RedirectListener {
    do {
      return try await listening.listen(on: target.host, port: target.port)
    } catch {
      throw AuthenticationError(error)
    }
  }
}

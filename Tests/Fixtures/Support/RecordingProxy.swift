import Synchronization

/// Stands between `msauth` and a provider on a port of its own, and remembers every byte.
///
/// What crosses this wire is what must appear nowhere else: codes, verifiers, tokens.
package final class RecordingProxy: Sendable {
  private let listener: LocalListener
  private let target: UInt16
  private let heard = Mutex<[[UInt8]]>([])

  /// The port to speak to instead of the provider's.
  package var port: UInt16 { listener.port }

  /// Starts to listen.
  ///
  /// - Parameter target: The provider's port.
  /// - Throws: ``TestFailure`` when no port is to be had.
  package init(before target: UInt16) throws {
    self.listener = try LocalListener()
    self.target = target
    Task { [weak self, listener] in
      try await blocking { [weak self] in
        while let near = listener.accept() { self?.forward(near) }
      }
    }
  }

  deinit {
    listener.shutDown()
  }

  /// All that went either way.
  package var transcript: String {
    heard.withLock { $0.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n") }
  }

  /// The values that a field had in a form, a query or a JSON object, on this wire.
  package func values(of field: String) -> Set<String> {
    var found: Set<String> = []
    for pattern in ["\"\(field)\": \"", "\"\(field)\":\"", "&\(field)=", "?\(field)=", "\n\(field)="] {
      for piece in transcript.split(separator: pattern, omittingEmptySubsequences: false).dropFirst() {
        found.insert(String(piece.prefix { !"\"& \r\n".contains($0) }))
      }
    }
    return found.filter { !$0.isEmpty }
  }

  private func forward(_ near: TCPConnection) {
    guard let far = try? TCPConnection(port: target) else { return near.shutDown() }
    pump(near, far)
    pump(far, near)
  }

  private func pump(_ from: TCPConnection, _ to: TCPConnection) {
    let place = heard.withLock { streams in
      streams.append([])
      return streams.count - 1
    }
    Task { [weak self] in
      try await blocking { [weak self] in
        defer { to.finishSending() }
        while true {
          let bytes = try from.receive()
          if bytes.isEmpty { return }
          self?.heard.withLock { $0[place] += bytes }
          try to.send(bytes)
        }
      }
    }
  }
}

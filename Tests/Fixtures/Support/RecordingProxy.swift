import Synchronization

/// Forwards to a provider, and records every byte in both directions.
package final class RecordingProxy: Sendable {
  private let listener: LocalListener
  private let target: UInt16
  private let streams = Mutex<[[UInt8]]>([])

  package var port: UInt16 { listener.port }

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

  package var transcript: String {
    streams.withLock { $0.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n") }
  }

  /// The recorded values of a field of forms, queries and JSON objects.
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
    let index = streams.withLock {
      $0.append([])
      return $0.count - 1
    }
    Task { [weak self] in
      try await blocking { [weak self] in
        defer { to.finishSending() }
        while true {
          let bytes = try from.receive()
          if bytes.isEmpty { return }
          self?.streams.withLock { $0[index] += bytes }
          try to.send(bytes)
        }
      }
    }
  }
}

/// Lets tasks wait until something has happened.
struct Gate: Sendable {
  private let stream: AsyncStream<Never>

  /// Makes a gate and what opens it.
  static func make() -> (open: @Sendable () -> Void, gate: Gate) {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    return ({ continuation.finish() }, Gate(stream: stream))
  }

  func wait() async {
    for await _ in stream {}
  }
}

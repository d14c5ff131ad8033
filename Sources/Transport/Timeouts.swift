/// How long a request may take.
package struct Timeouts: Sendable, Equatable {
  /// Until the connection stands, name resolution and TLS included.
  ///
  /// A person waits at a terminal: a provider that needs longer is down.
  package var connect: Duration
  /// From the first step until the last byte of the body.
  package var whole: Duration

  package init(connect: Duration = .seconds(10), whole: Duration = .seconds(30)) {
    self.connect = connect
    self.whole = whole
  }
}

extension Duration {
  /// Whole milliseconds, at least one: libcurl reads zero as its own default.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}

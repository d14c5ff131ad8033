import Core

extension WebURL {
  /// Parses a request's URL, so that libcurl asks the host that was checked and no other.
  init(requesting url: String) throws(Failure) {
    do {
      try self.init(url, .request)
    } catch {
      throw Failure(.urlRefused, host: "", "the URL \(error.reason)")
    }
    guard isSecure || isLoopback else {
      // RFC 6749 §3.1, §3.2: the endpoints of a provider require TLS.
      throw Failure(
        .urlRefused,
        host: name,
        "http is for this computer alone (127.0.0.0/8, ::1, localhost); \(name) has to be asked by https"
      )
    }
  }

  /// Host and port for messages.
  var name: String { "\(host):\(effectivePort)" }

  /// The URL up to its query, for log lines.
  var withoutQuery: String { origin + path }
}

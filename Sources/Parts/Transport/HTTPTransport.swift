package import MSAuthCore

/// Sends requests to a provider.
package protocol HTTPTransport: Sendable {
  /// Sends one request and returns the response, whatever its status, without following redirects.
  func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse

  /// Prepares for a request; failures are reported by the request.
  func prepare() async
}

extension HTTPTransport {
  package func prepare() async {}
}

package struct HTTPRequest: Sendable {
  package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case patch = "PATCH"
    case put = "PUT"
    case delete = "DELETE"
  }

  package var method: Method
  package var url: String
  /// Header fields in order, without secrets.
  package var headers: [(name: String, value: String)]
  /// Sent as `Authorization`: `Bearer` (RFC 6750 §2.1), `DPoP` (RFC 9449 §7.1), or `Basic` with base64 (RFC 7617 §2).
  package var authorization: (scheme: String, credentials: Secret)?
  /// Text; secret, since a form may contain codes and refresh tokens.
  package var body: Secret?
  /// Bytes to send instead of ``body``.
  package var content: [UInt8] = []
  /// Whether the request may be sent again after a server error, although the server may have processed it.
  package var isRepeatable: Bool
  /// Whether cancellation waits for the response of a request that was sent: it contains the next refresh token.
  package var mustComplete = false
  /// Overrides the transport's limit.
  package var maximumResponseBytes: Int?
  /// Receives the body of a successful response in pieces, without a time limit; the response then has no body.
  ///
  /// It runs on the transfer's thread, which it may block, and returns whether to continue.
  package var receiver: (@Sendable (_ head: HTTPResponse, _ piece: UnsafeRawBufferPointer) -> Bool)?
  /// Whether the response may pause for any time, as an event stream does.
  package var mayPause = false
  /// Builds the request for another attempt, if a server accepts the same bytes only once.
  package var rebuild: (@Sendable () -> HTTPRequest?)?

  package init(
    _ method: Method,
    _ url: String,
    headers: [(name: String, value: String)] = [],
    authorization: (scheme: String, credentials: Secret)? = nil,
    body: Secret? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.authorization = authorization
    self.body = body
    isRepeatable = method == .get
  }
}

extension HTTPRequest {
  /// The header lines in libcurl's format, checked so that no value can begin another line (RFC 9110 §5.5).
  func headerLines(for destination: WebURL) throws(AuthenticationError) -> [String] {
    func rejected(_ reason: String) -> AuthenticationError {
      AuthenticationError(.urlRefused, host: destination.name, reason)
    }
    var lines: [String] = []
    for (name, value) in headers {
      guard !name.isEmpty, name.utf8.allSatisfy(\.isHTTPTokenCharacter) else {
        throw rejected("a header field's name is malformed: \(name.printable(limit: 40))")
      }
      guard value.utf8.allSatisfy(\.isHTTPFieldCharacter) else {
        throw rejected("the header field \(name) has a control character")
      }
      // libcurl omits the field for "Name:", and sends an empty one for "Name;".
      lines.append(value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)")
    }
    if let (scheme, credentials) = authorization {
      // b64token (RFC 6750 §2.1) is narrower; servers issue tokens outside of it.
      guard !credentials.isEmpty, credentials.revealed.utf8.allSatisfy(\.isASCIIVisible) else {
        throw rejected("the \(scheme) credentials contain characters that header fields can't have")
      }
      lines.append("Authorization: \(scheme) \(credentials.revealed)")
    }
    // Older versions of libcurl send `Expect: 100-continue` before a body of a kilobyte, and wait a second for a response.
    lines.append("Expect:")
    return lines
  }
}

extension WebURL {
  /// Parses a request's URL.
  init(requesting url: String) throws(AuthenticationError) {
    try self.init(url, .request) { AuthenticationError(.urlRefused, "the URL \($0)") }
    // RFC 6749 §3.1, §3.2: a provider's endpoints require TLS.
    guard isProtected else {
      let message = "http is only for this computer (127.0.0.0/8, ::1, localhost); \(name) requires https"
      throw AuthenticationError(.urlRefused, host: name, message)
    }
  }

  /// Host and port for messages.
  var name: String { "\(host):\(effectivePort)" }
}

package struct HTTPResponse: Sendable {
  package var status: Int
  /// Header fields in the order received, names as sent.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The first header field of that name.
  package func header(_ name: String) -> String? { all(name).first }

  /// All header fields of that name.
  package func all(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// In lowercase, without parameters.
  package var mediaType: String? {
    header("content-type")?.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } }
  }
}

extension HTTPResponse: Redacted {
  package var description: String { "HTTPResponse(\(status))" }
}

/// How long a request may take, and how large its response may be.
package struct TransferLimits: Sendable {
  /// Until the connection is established, including name resolution and TLS.
  var connect: Duration
  var total: Duration
  /// How long a stream may send nothing, unless it may pause.
  var silence: Duration = .seconds(60)
  /// After decompression, so that a small gzip stream can't exhaust the memory.
  var bodyBytes: Int
  /// Including the headers of interim responses.
  var headerBytes = 64 << 10
  /// How long an idle connection can be reused; servers close theirs later.
  var idle: Duration = .seconds(20)

  package init(connect: Duration = .seconds(10), total: Duration = defaultRequestTimeout, bodyBytes: Int = 1 << 20) {
    self.connect = connect
    self.total = total
    self.bodyBytes = bodyBytes
  }
}

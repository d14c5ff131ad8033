/// A request to the listener that is not the provider's redirect, though it may have the right `state`.
///
/// It differs from the right one by what is given.
struct HostileRequest: Sendable, CustomStringConvertible {
  /// What makes it wrong.
  let description: String
  /// The status that it has to get.
  let status: Int
  /// Nil is the response mode's; `OTHER` the other mode's.
  private var method: String?
  private var target = "/back"
  private var version = "HTTP/1.1"
  private var hosts = ["Host: HOST"]
  private var headers: [String] = []
  private var contentType = "Content-Type: application/x-www-form-urlencoded"
  /// Nil is the right length of a body, which GET has only where this is given.
  private var length: String?
  private var parameters = "code=stolen&state=STATE"
  private var lineEnd = "\r\n"
  /// Follows on the same connection.
  private var next = ""

  private init(_ status: Int, _ description: String, _ change: (inout Self) -> Void) {
    (self.status, self.description) = (status, description)
    change(&self)
  }

  /// The bytes to send.
  ///
  /// - Parameters:
  ///   - mode: The sign-in's response mode.
  ///   - port: The listener's port.
  ///   - state: The right `state`.
  /// - Returns: The request, and what follows it.
  func bytes(mode: String, port: UInt16, state: String) -> [UInt8] {
    let isQuery = mode == "query"
    let method = (method ?? (isQuery ? "GET" : "POST")).replacing("OTHER", with: isQuery ? "POST" : "GET")
    let parameters = parameters.replacing("STATE", with: state)
    let hasBody = method == "POST" || length != nil
    let query = hasBody || parameters.isEmpty ? "" : "?" + parameters
    var lines = ["\(method) \(target)\(query) \(version)"] + hosts + headers
    if hasBody { lines += [contentType, length ?? "Content-Length: \(parameters.utf8.count)"] }
    let head = lines.filter { !$0.isEmpty }.map { $0 + lineEnd }.joined() + lineEnd
    let text = head + (hasBody ? parameters : "") + next
    return Array(text.replacing("HOST", with: "localhost:\(port)").replacing("STATE", with: state).utf8)
  }

  static let all = targets + hosts + methods + metadata + forms + framing + parameters

  private static let targets = [
    HostileRequest(404, "an icon") { ($0.method, $0.target, $0.parameters) = ("GET", "/favicon.ico", "") },
    HostileRequest(404, "the root") { ($0.method, $0.target, $0.parameters) = ("GET", "/", "") },
    HostileRequest(404, "another path") { $0.target = "/other" },
    HostileRequest(404, "another case") { $0.target = "/Back" },
    HostileRequest(404, "an escaped dot") { $0.target = "/%2e/back" },
    HostileRequest(404, "an escaped letter") { $0.target = "/%62ack" },
    HostileRequest(404, "a longer path") { $0.target = "/back/" },
    HostileRequest(404, "two slashes") { $0.target = "//back" },
    HostileRequest(404, "a script in the path") { $0.target = "/<script>" },
    HostileRequest(414, "an endless path") { $0.target = "/" + String(repeating: "a", count: 20_000) },
    HostileRequest(404, "another path in the absolute form") { $0.target = "http://HOST/other" },
    HostileRequest(421, "another host in the absolute form") { $0.target = "http://attacker.example/back" },
    HostileRequest(421, "a user in the absolute form") { $0.target = "http://a@HOST/back" },
    HostileRequest(400, "https in the absolute form") { $0.target = "https://HOST/back" },
    HostileRequest(400, "the absolute form with a wrong state") {
      ($0.target, $0.parameters) = ("http://HOST/back", "code=stolen&state=wrong")
    },
  ]

  private static let hosts = [
    HostileRequest(400, "no Host") { $0.hosts = [] },
    HostileRequest(400, "two Hosts") { $0.hosts = ["Host: HOST", "Host: HOST"] },
    HostileRequest(400, "a folded Host") { $0.hosts = ["Host: attacker.example", " HOST"] },
    HostileRequest(400, "white space before the colon") { $0.hosts = ["Host : HOST"] },
    HostileRequest(421, "another name") { $0.hosts = ["Host: attacker.example"] },
    HostileRequest(421, "a name that begins with ours") { $0.hosts = ["Host: localhost.attacker.com"] },
    HostileRequest(421, "our name without the port") { $0.hosts = ["Host: localhost"] },
    HostileRequest(421, "a name that a proxy has replaced") {
      $0.hosts = ["Host: attacker.example", "X-Forwarded-Host: HOST"]
    },
    HostileRequest(400, "HTTP/1.0 without Host") { ($0.version, $0.hosts) = ("HTTP/1.0", []) },
    HostileRequest(400, "HTTP/1.0 with a wrong state") {
      ($0.version, $0.parameters) = ("HTTP/1.0", "code=stolen&state=wrong")
    },
    HostileRequest(505, "HTTP/2") { $0.version = "HTTP/2.0" },
    HostileRequest(400, "HTTP/0.9") { $0.version = "" },
  ]

  private static let methods = [
    HostileRequest(405, "HEAD") { $0.method = "HEAD" },
    HostileRequest(405, "the other response mode's method") { $0.method = "OTHER" },
    HostileRequest(405, "PUT") { $0.method = "PUT" },
    HostileRequest(405, "TRACE") { $0.method = "TRACE" },
    HostileRequest(400, "CONNECT") { ($0.method, $0.target, $0.parameters) = ("CONNECT", "HOST", "") },
    HostileRequest(405, "a preflight") {
      $0.method = "OPTIONS"
      $0.headers = [
        "Origin: https://attacker.example", "Access-Control-Request-Method: POST",
        "Access-Control-Request-Private-Network: true",
      ]
    },
  ]

  private static let metadata =
    ["image", "iframe", "empty", "serviceworker", "script", "object"].map { destination in
      HostileRequest(403, "a request for \(destination)") { $0.headers = ["Sec-Fetch-Dest: \(destination)"] }
    } + [
      HostileRequest(403, "a fetch") { $0.headers = ["Sec-Fetch-Mode: no-cors"] },
      HostileRequest(403, "two destinations") { $0.headers = ["Sec-Fetch-Dest: document", "Sec-Fetch-Dest: iframe"] },
      HostileRequest(403, "a page in advance") { $0.headers = ["Sec-Purpose: prefetch;prerender"] },
      HostileRequest(403, "a WebSocket") {
        $0.headers = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw=="]
      },
      HostileRequest(400, "a navigation from another site, with a wrong state") {
        $0.headers = ["Origin: https://attacker.example", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]
        $0.parameters = "code=stolen&state=wrong"
      },
    ]

  private static let forms =
    ["application/json", "text/plain", "multipart/form-data; boundary=x"].map { type in
      HostileRequest(415, "a post of \(type)") { ($0.method, $0.contentType) = ("POST", "Content-Type: \(type)") }
    } + [
      HostileRequest(415, "a post of no media type") { ($0.method, $0.contentType) = ("POST", "") },
      HostileRequest(415, "a post of two media types") { ($0.method, $0.headers) = ("POST", [$0.contentType]) },
      HostileRequest(400, "a post with a query") { ($0.method, $0.target) = ("POST", "/back?code=stolen&state=STATE") },
      HostileRequest(400, "a query with a body") {
        ($0.method, $0.target) = ("GET", "/back?code=stolen&state=STATE")
        ($0.parameters, $0.length) = ("code=stolen", "Content-Length: 11")
      },
    ]

  /// Where two readers would see two requests, or one would read for ever.
  private static let framing =
    [
      ("chunks", 411, "Transfer-Encoding: chunked"), ("no length", 411, ""),
      ("chunks and a length", 400, "Transfer-Encoding: chunked\r\nContent-Length: 5"),
      ("two lengths", 400, "Content-Length: 5\r\nContent-Length: 5"),
      ("a list of lengths", 400, "Content-Length: 5, 5"),
      ("a negative length", 400, "Content-Length: -1"), ("a length with a sign", 400, "Content-Length: +5"),
      ("a hexadecimal length", 400, "Content-Length: 0x5"), ("a huge length", 413, "Content-Length: 65537"),
      ("a length of 2^64", 413, "Content-Length: 18446744073709551616"),
      ("a body that is sent when asked for", 417, "Content-Length: 5\r\nExpect: 100-continue"),
    ].map { name, status, length in
      HostileRequest(status, "a post with \(name)") { ($0.method, $0.length) = ("POST", length) }
    } + [
      HostileRequest(400, "bare line feeds") { $0.lineEnd = "\n" },
      // With an end: a head without one waits for its time limit, as any slow head does.
      HostileRequest(400, "bare carriage returns") { request in
        request.lineEnd = "\r"
        request.headers = ["X-A: 1\r\n\r\n"]
      },
      HostileRequest(400, "a folded header line") { $0.headers = ["X-A: 1", "\t2"] },
      HostileRequest(400, "a NUL in the header") { $0.headers = ["X-A: \u{0}"] },
      HostileRequest(400, "an escape sequence in the header") { $0.headers = ["X-A: \u{1B}[2J"] },
      HostileRequest(431, "a header of 1 MB") { $0.headers = ["X-A: " + String(repeating: "a", count: 1 << 20)] },
      HostileRequest(431, "200 header fields") { $0.headers = (0..<200).map { "X-\($0): 1" } },
      HostileRequest(404, "a right request behind another one") {
        ($0.method, $0.target, $0.parameters) = ("GET", "/favicon.ico", "")
        $0.next = denial
      },
      HostileRequest(404, "a right request behind an empty body") {
        ($0.target, $0.parameters, $0.length) = ("/other", "", "Content-Length: 0\r\nConnection: keep-alive")
        $0.next = denial
      },
    ]

  /// Alone it would end the sign-in, in either mode.
  private static let denial = "GET /back?error=access_denied&state=STATE HTTP/1.1\r\nHost: HOST\r\n\r\n"

  private static let parameters = [
    "", "state=STATE", "code=stolen", "code=stolen&state=", "code=stolen&state=wrong", "code=stolen&state=STATE+",
    "code=stolen&state=STATE&state=STATE", "code=stolen&state=STATE&state=wrong",
    "code=stolen&state=STATE&%73tate=STATE", "code=stolen&code=stolen&state=STATE",
    "code=stolen&error=access_denied&state=STATE", "error=access_denied",
    "error=access_denied&state=wrong", "error=<script>&error_description=%1b[2J%3Cscript%3E",
    "code=stolen&%2573tate=STATE", "code=stolen&State=STATE", "code=stolen;state=STATE", "code=stolen&+state=STATE",
    "code=stolen%0d%0aSet-Cookie:a=b&state=STATE", "code=stolen%00&state=STATE", "code=stolen%FF&state=STATE",
    "code=stolen%C0%AF&state=STATE", "code=stolen%ED%A0%80&state=STATE", "code=stolen%&state=STATE",
    "code=stolen%zz&state=STATE", "code=stolen%C3%A9&state=STATE", "response=eyJ.e30.x&state=STATE",
    "response=eyJ.e30.x", "id_token=stolen&state=STATE", "access_token=stolen&token_type=bearer&state=STATE",
    "code=stolen&id_token=stolen&state=STATE",
    (0..<2_000).map { "p\($0)=1" }.joined(separator: "&") + "&code=stolen&state=STATE",
    String(repeating: "%CC%81", count: 2_000) + "=1&code=stolen&state=STATE",
  ].map { text in
    HostileRequest(400, "the parameters \(text.prefix(80))") { $0.parameters = text }
  }
}

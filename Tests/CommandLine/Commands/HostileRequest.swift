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
  private var hosts = ["Host: HOST"]
  private var headers: [String] = []
  private var contentType = "Content-Type: application/x-www-form-urlencoded"
  /// Nil is the right length of a body, which GET has only where this is given.
  private var length: String?
  private var parameters = "code=stolen&state=STATE"
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
    var lines = ["\(method) \(target)\(query) HTTP/1.1"] + hosts + headers
    if hasBody { lines += [contentType, length ?? "Content-Length: \(parameters.utf8.count)"] }
    let head = lines.filter { !$0.isEmpty }.map { $0 + "\r\n" }.joined() + "\r\n"
    let text = head + (hasBody ? parameters : "") + next
    return Array(text.replacing("HOST", with: "localhost:\(port)").replacing("STATE", with: state).utf8)
  }

  /// One of each kind: the rules themselves are proven with the reader of requests and the redirect's endpoint.
  static let all = kinds + parameters

  private static let kinds = [
    HostileRequest(404, "another path") { $0.target = "/other" },
    HostileRequest(421, "another host in the absolute form") { $0.target = "http://attacker.example/back" },
    HostileRequest(421, "a name that a proxy has replaced") {
      $0.hosts = ["Host: attacker.example", "X-Forwarded-Host: HOST"]
    },
    HostileRequest(405, "the other response mode's method") { $0.method = "OTHER" },
    HostileRequest(403, "a request for an image") { $0.headers = ["Sec-Fetch-Dest: image"] },
    HostileRequest(400, "a navigation from another site, with a wrong state") {
      $0.headers = ["Origin: https://attacker.example", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]
      $0.parameters = "code=stolen&state=wrong"
    },
    HostileRequest(415, "a post of two media types") { ($0.method, $0.headers) = ("POST", [$0.contentType]) },
    HostileRequest(411, "a post with chunks") { ($0.method, $0.length) = ("POST", "Transfer-Encoding: chunked") },
    HostileRequest(413, "a post with a huge length") { ($0.method, $0.length) = ("POST", "Content-Length: 65537") },
    HostileRequest(431, "a header of 1 MB") { $0.headers = ["X-A: " + String(repeating: "a", count: 1 << 20)] },
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

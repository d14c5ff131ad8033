import MSAuth
import MSAuthUnix

/// A request to a credential helper: lines of `key=value` (git-credential(1), "INPUT/OUTPUT FORMAT").
struct GitRequest: Sendable {
  private static let maximumSize = 256 << 10

  private var fields: [String: [String]] = [:]

  /// `nil` also if it is empty, as in `https://@git.example.com`.
  var username: String? { fields["username"]?.last.flatMap { $0.isEmpty ? nil : $0 } }
  /// In `erase`: the token that the server rejected.
  var token: String? { (fields["credential"] ?? fields["password"])?.last }
  /// Whether git accepts credentials other than a password (2.46 and later).
  var takesAuthType: Bool { fields["capability[]"]?.contains("authtype") ?? false }
  var challenges: [String] { fields["wwwauth[]"] ?? [] }

  /// The server's scheme, host and port; `nil` if it must not get a token.
  var origin: String? {
    guard let scheme = fields["protocol"]?.last, let host = fields["host"]?.last,
      let url = try? WebURL("\(scheme)://\(host)"), url.path.isEmpty, url.query == nil
    else { return nil }
    return url.origin
  }

  /// Rejects control characters and a second host, which could name another server (CVE-2020-5260, CVE-2024-52006).
  init(_ bytes: [UInt8]) throws {
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.isEmpty { break }
      guard line.allSatisfy(\.isHTTPFieldCharacter) else { throw Self.rejection("has control characters") }
      // Paths and challenges may have another encoding.
      let text = String(decoding: line, as: UTF8.self)
      let parts = text.split(at: "=", maxSplits: 1)
      guard parts.count == 2 else { throw Self.rejection("has a line without =") }
      let (key, value) = (parts[0], parts[1])
      if ["protocol", "host", "username", "password", "credential"].contains(key), !line.elementsEqual(text.utf8) {
        throw Self.rejection("has a \(key) that isn't UTF-8")
      }
      if ["protocol", "host", "username"].contains(key), fields[key] != nil {
        throw Self.rejection("names the \(key) twice")
      }
      // An empty element clears the list.
      if key.hasSuffix("[]"), value.isEmpty { fields[key] = [] } else { fields[key, default: []].append(value) }
    }
  }

  /// Reads a request from standard input, up to a blank line, since git may keep the input open.
  static func fromInput() async throws -> GitRequest {
    let bytes = await BackgroundThread.runAbandoning {
      var bytes: [UInt8] = []
      while bytes.count <= maximumSize, !bytes.suffix(2).elementsEqual("\n\n".utf8) {
        let more = readStandardInput(maximum: 4 << 10)
        if more.isEmpty { break }
        bytes += more
      }
      return bytes
    }
    guard let bytes else { throw CancellationError() }
    guard bytes.count <= maximumSize else { throw Self.rejection("is longer than \(maximumSize) bytes") }
    return try GitRequest(bytes)
  }

  private static func rejection(_ what: String) -> AuthenticationError {
    .usage("git's request \(what)", reason: "git_request_invalid")
  }
}

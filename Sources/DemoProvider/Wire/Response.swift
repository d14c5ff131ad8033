import FlyingFox
import Foundation
import MSAuthCore

// FlyingFox has a JSONValue too.
typealias JSONValue = MSAuthCore.JSONValue

extension HTTPResponse {
  /// A JSON document; not cacheable by default (RFC 6749 §5.1).
  static func json(_ value: JSONValue, status: Int = 200, cache: String = "no-store") -> HTTPResponse {
    HTTPResponse(
      statusCode: HTTPStatusCode(status, phrase: phrases[status] ?? "Error"),
      headers: [
        .contentType: "application/json; charset=utf-8",
        .cacheControl: cache,
        HTTPHeader("X-Content-Type-Options"): "nosniff",
      ],
      body: Data(value.serialized())
    )
  }

  /// A page that isn't cached or framed; only the script with the nonce can run.
  static func page(_ html: HTML, status: Int = 200, scriptNonce: String? = nil) -> HTTPResponse {
    // No form-action: Chromium applies it to the redirect after a form, which leads to the application.
    let policy =
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
      + (scriptNonce.map { "; script-src 'nonce-\($0)'" } ?? "")
    return HTTPResponse(
      statusCode: HTTPStatusCode(status, phrase: phrases[status] ?? "Error"),
      headers: [
        .contentType: "text/html; charset=utf-8",
        .cacheControl: "no-store",
        HTTPHeader("Content-Security-Policy"): policy,
        HTTPHeader("Referrer-Policy"): "no-referrer",
        HTTPHeader("X-Content-Type-Options"): "nosniff",
      ],
      body: Data(html.source.utf8)
    )
  }

  /// With 303 by default, so that a form isn't posted again (RFC 9700 §4.12).
  static func redirect(to location: String, status: HTTPStatusCode = .seeOther) -> HTTPResponse {
    let headers: HTTPHeaders = [
      .location: location,
      .cacheControl: "no-store",
      HTTPHeader("Referrer-Policy"): "no-referrer",
    ]
    return HTTPResponse(statusCode: status, headers: headers)
  }

  static func unavailable(retryAfter seconds: Int?, status: Int = 503) -> HTTPResponse {
    let headers = HTTPHeaders(seconds.map { [HTTPHeader("Retry-After"): String($0)] } ?? [:])
    return HTTPResponse(statusCode: HTTPStatusCode(status, phrase: "Not now"), headers: headers)
  }

  /// 4 MB in 4 KB: clients must limit the decompressed size.
  static var gzipBomb: HTTPResponse {
    HTTPResponse(
      statusCode: .ok,
      headers: [.contentType: "application/json", HTTPHeader("Content-Encoding"): "gzip"],
      body: Data(GzipBomb.bytes)
    )
  }

  /// Sets the session's cookie, which scripts can't read and cross-site forms don't send.
  func with(_ browser: BrowserSession) -> HTTPResponse {
    var response = self
    response.headers.addValue(
      "\(Request.cookieName)=\(browser.id); Path=/; HttpOnly; SameSite=Lax",
      for: .setCookie
    )
    return response
  }

  private static let phrases = [
    200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
  ]
}

/// 4 KB of gzip that decompress to 4 MB of spaces (RFC 1951, RFC 1952).
enum GzipBomb {
  static let bytes: [UInt8] = runs.flatMap { $0.bytes + [UInt8](repeating: 0, count: $0.zeros) }

  /// Bytes and the number of zeros that follow; a zero repeats the last byte.
  private static let runs: [(bytes: [UInt8], zeros: Int)] = [
    (
      [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed, 0xc1, 0x81, 0x00, 0x00, 0x00, 0x00, 0xc3,
        0x20, 0x95, 0xf9, 0x53, 0x1e, 0xe4, 0x55, 0x01,
      ], 4063
    ),
    ([0x7c, 0x1b, 0x15, 0x3e, 0xfa, 0xfc, 0x00, 0x00, 0x40, 0x00], 0),
  ]
}

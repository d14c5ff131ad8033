import FlyingFox
import Foundation
import MSAuthCore

// FlyingFox has a JSONValue too.
typealias JSONValue = MSAuthCore.JSONValue

extension HTTPHeader {
  static let wwwAuthenticate = HTTPHeader("WWW-Authenticate")
  fileprivate static let referrerPolicy = HTTPHeader("Referrer-Policy")
  fileprivate static let contentTypeOptions = HTTPHeader("X-Content-Type-Options")
}

extension HTTPResponse {
  init(_ status: Int, headers: HTTPHeaders = [:], body: some Sequence<UInt8> = []) {
    self.init(statusCode: HTTPStatusCode(status, phrase: ""), headers: headers, body: Data(body))
  }

  /// A JSON document; not cacheable by default (RFC 6749 §5.1).
  static func json(_ value: JSONValue, status: Int = 200, cache: String = "no-store") -> HTTPResponse {
    HTTPResponse(
      status,
      headers: [
        .contentType: "application/json; charset=utf-8", .cacheControl: cache, .contentTypeOptions: "nosniff",
      ],
      body: value.serialized()
    )
  }

  /// A page that isn't cached or framed; only the script with the nonce can run.
  static func page(_ title: HTML, _ body: HTML, status: Int = 200, scriptNonce: String? = nil) -> HTTPResponse {
    // No form-action: Chromium applies it to the redirect after a form, which leads to the application.
    let policy =
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
      + (scriptNonce.map { "; script-src 'nonce-\($0)'" } ?? "")
    return HTTPResponse(
      status,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .referrerPolicy: "no-referrer",
        HTTPHeader("Content-Security-Policy"): policy, .contentTypeOptions: "nosniff",
      ],
      body: HTML.document(title, body).source.utf8
    )
  }

  /// With 303 by default, so that a form isn't posted again (RFC 9700 §4.12).
  static func redirect(to location: String, status: Int = 303) -> HTTPResponse {
    HTTPResponse(
      status,
      headers: [.location: location, .cacheControl: "no-store", .referrerPolicy: "no-referrer"]
    )
  }

  static func unavailable(retryAfter seconds: Int?, status: Int = 503) -> HTTPResponse {
    HTTPResponse(status, headers: HTTPHeaders(seconds.map { [HTTPHeader("Retry-After"): String($0)] } ?? [:]))
  }

  /// Sets the session's cookie, which scripts can't read and cross-site forms don't send.
  func settingCookie(of browser: BrowserSession) -> HTTPResponse {
    var response = self
    response.headers.addValue(
      "\(ProviderRequest.cookieName)=\(browser.id); Path=/; HttpOnly; SameSite=Lax",
      for: .setCookie
    )
    return response
  }
}

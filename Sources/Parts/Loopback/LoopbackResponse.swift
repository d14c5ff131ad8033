internal import MSAuthCore

/// A response to the browser; it closes its connection, and no cache keeps it.
package struct LoopbackResponse: Sendable {
  package var status: Int
  /// The header fields besides `Content-Length` and `Connection`, which ``serialized(bodyless:)`` adds.
  package var headers: [(name: String, value: String)]
  var body: [UInt8] = []

  package static func page(html: String, styleSource: String, status: Int = 200) -> Self {
    let policy = policy(allowing: "style-src '\(styleSource)'; img-src data:; ")
    return content(Array(html.utf8), mediaType: "text/html; charset=utf-8", policy: policy, status: status)
  }

  /// A page or a resource of one.
  package static func content(_ body: [UInt8], mediaType: String, policy: String? = nil, status: Int = 200) -> Self {
    let policies = policy.map { [("Content-Security-Policy", $0)] + securityHeaders } ?? lockedDown
    return Self(status: status, headers: [("Content-Type", mediaType)] + policies, body: body)
  }

  /// Redirects to a clean address, so that no code stays in the address bar and a reload doesn't send it again.
  package static func seeOther(_ path: String) -> Self {
    let isPlain = path.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_./".utf8.contains($0) }
    let isLocal = isPlain && path.hasPrefix("/") && !path.hasPrefix("//")
    return Self(status: 303, headers: [("Location", isLocal ? path : "/")] + lockedDown)
  }

  package static func redirect(to url: String) -> Self {
    guard url.utf8.allSatisfy(\.isASCIIVisible) else { return text(500, "The address is malformed.") }
    return Self(status: 303, headers: [("Location", url)] + lockedDown)
  }

  /// A line of plain text.
  package static func text(_ status: Int, _ text: String) -> Self {
    content(Array((text + "\n").utf8), mediaType: "text/plain; charset=utf-8", status: status)
  }

  package static func empty(_ status: Int) -> Self { Self(status: status, headers: lockedDown) }

  /// The security headers of every response, apart from its content security policy.
  private static let securityHeaders: [(name: String, value: String)] = [
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    (
      "Permissions-Policy",
      "accelerometer=(), camera=(), clipboard-read=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), "
        + "microphone=(), midi=(), payment=(), publickey-credentials-get=(), serial=(), usb=()"
    ),
  ]

  private static let lockedDown: [(name: String, value: String)] =
    [("Content-Security-Policy", policy())] + securityHeaders

  private static func policy(allowing sources: String = "") -> String {
    "default-src 'none'; \(sources)base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  }
}

extension LoopbackResponse {
  /// The bytes on the wire, without the body when the request was `HEAD`.
  func serialized(bodyless: Bool = false) -> [UInt8] {
    // The reason phrase may be empty (RFC 9112 §4).
    var head = "HTTP/1.1 \(status) \r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    return Array(head.utf8) + (bodyless ? [] : body)
  }
}

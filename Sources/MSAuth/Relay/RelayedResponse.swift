import Core
import Loopback

/// A response of the end that signs in, reduced to what that end may decide.
///
/// The header fields that keep scripts and other sites out are set where the browser is.
package struct RelayedResponse: Sendable, Equatable {
  package var status: Int
  /// Where to go on: a path of the listener, or the provider's address.
  package var location: String?
  /// The page's document.
  package var html: String?
  /// The hash source of the page's one inline style.
  package var styleSource: String?
  /// The method of a redirect, where the request has another.
  package var allow: String?

  package init(
    status: Int,
    location: String? = nil,
    html: String? = nil,
    styleSource: String? = nil,
    allow: String? = nil
  ) {
    (self.status, self.location, self.html, self.styleSource) = (status, location, html, styleSource)
    self.allow = allow
  }

  init(_ response: LoopbackResponse) {
    func value(_ name: String) -> String? { response.headers.first { $0.name == name }?.value }
    let isPage = value("Content-Type")?.hasPrefix("text/html") == true
    let policy = value("Content-Security-Policy") ?? ""
    let style = policy.split(separator: "; ").first { $0.hasPrefix(Self.styleDirective) }
    self.init(
      status: response.status,
      location: value("Location"),
      html: isPage ? String(decoding: response.body, as: UTF8.self) : nil,
      styleSource: isPage ? style.map { String($0.dropFirst(Self.styleDirective.count).dropLast()) } : nil,
      allow: value("Allow")
    )
  }

  private static let styleDirective = "style-src '"

  init?(_ json: JSON) {
    guard let status = json["status"]?.integer, (200...599).contains(status) else { return nil }
    self.init(
      status: Int(status),
      location: json["location"]?.string,
      html: json["html"]?.string,
      styleSource: json["style_source"]?.string,
      allow: json["allow"]?.string
    )
  }

  func json(id: Int64) -> JSON {
    [
      "id": .number(.init(id)), "status": .number(.init(Int64(status))),
      "location": location.map { .string($0) } ?? .null, "html": html.map { .string($0) } ?? .null,
      "style_source": styleSource.map { .string($0) } ?? .null, "allow": allow.map { .string($0) } ?? .null,
    ]
  }

  /// The response as the listener sends it: a redirect to a page of this listener or to an address that a browser may
  /// open, a page without script, or none.
  var response: LoopbackResponse {
    var response = content
    if status == 405, let allow, ["GET", "POST"].contains(allow) { response.headers.append(("Allow", allow)) }
    return response
  }

  private var content: LoopbackResponse {
    if let location {
      if location.utf8.first == UInt8(ascii: "/") { return .seeOther(location) }
      guard let address = try? WebURL(location, .browser) else {
        return .refusal(502, "The sign-in leads to an address that is not opened.")
      }
      return .redirect(to: address.string)
    }
    guard let html, let styleSource else { return .empty(status) }
    guard styleSource.utf8.count < 128, styleSource.utf8.starts(with: "sha256-".utf8),
      styleSource.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "+/=-".utf8.contains($0) })
    else { return .refusal(502, "The page's style is malformed.") }
    return .page(html: html, styleSource: styleSource, status: status)
  }
}

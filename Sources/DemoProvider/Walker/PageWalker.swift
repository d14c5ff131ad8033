import Foundation
import Core

/// A browser without a screen: it keeps cookies, follows redirects and presses the buttons it is told to.
///
/// It is there for computers without a display; it knows no script.
package actor PageWalker {
  /// A page that it has arrived at.
  package struct Page: Sendable {
    /// The address it came from.
    package var address: String
    package var reply: WebReply

    /// The window's title.
    package var title: String { HTMLForms.text(of: "title", in: reply.text) ?? "" }

    /// Whether the page has a button or a field with that id.
    package func has(_ id: String) -> Bool {
      HTMLForms.tags(in: reply.text).contains { $0.attributes["id"] == id }
    }
  }

  /// Browsers give up a little later.
  static let mostRedirects = 10
  /// No walk through the provider has more pages.
  static let mostPages = 10

  /// By host; a port does not part them (RFC 6265 §8.5).
  private var cookies: [String: [String: String]] = [:]
  /// The addresses of all requests, in order.
  package private(set) var history: [String] = []

  /// Where servers really are, by the beginning of the addresses that name them.
  private let places: [String: String]

  /// - Parameter places: Addresses without a path, such as `https://login.example`, and what answers there on this
  ///   computer: `http://127.0.0.1:8080`.
  package init(places: [String: String] = [:]) {
    self.places = places
  }

  /// Opens an address.
  ///
  /// - Parameter address: An `http` address on this computer.
  /// - Returns: The page behind all redirects.
  /// - Throws: `WalkError`, or what the socket throws.
  package func open(_ address: String) async throws -> Page { try await visit("GET", address, form: nil) }

  /// Presses a button.
  ///
  /// - Parameters:
  ///   - id: The button's element id.
  ///   - page: The page it is on.
  ///   - typed: What was typed into the form's fields, by their names.
  /// - Returns: The page that follows.
  /// - Throws: `WalkError.noButton`, or what ``open(_:)`` throws.
  package func press(_ id: String, on page: Page, typed: [String: String] = [:]) async throws -> Page {
    guard let form = HTMLForms.submission(of: id, in: page.reply.text),
      let target = URL(string: form.action, relativeTo: URL(string: page.address))
    else { throw WalkError.noButton(id) }
    let fields = form.fields.map { (name: $0.name, value: typed[$0.name] ?? $0.value) }
    return try await visit("POST", target.absoluteString, form: FormEncoding.encode(fields))
  }

  /// Goes through the provider's pages to the end, as a person would.
  ///
  /// - Parameters:
  ///   - address: Where to begin.
  ///   - person: Whose account to pick.
  ///   - accepts: Whether to allow what the application asks for.
  ///   - userCode: What to type where a device's code is asked.
  /// - Returns: The last page, which has no button of the provider's.
  /// - Throws: What ``open(_:)`` throws.
  package func walk(
    from address: String,
    as person: String,
    accepts: Bool = true,
    userCode: String? = nil
  ) async throws -> Page {
    var page = try await open(address)
    for _ in 0..<Self.mostPages {
      let buttons = ["account-\(person)", accepts ? "accept" : "deny", "continue", "sign-out", "next"]
      guard let button = buttons.first(where: { page.has($0) }) else { break }
      page = try await press(button, on: page, typed: userCode.map { ["user_code": $0] } ?? [:])
    }
    return page
  }

  private func visit(_ method: String, _ address: String, form: String?) async throws -> Page {
    var (method, address, form) = (method, address, form)
    for _ in 0...Self.mostRedirects {
      let reply = try await request(method, address, form: form)
      guard (300...399).contains(reply.status), let location = reply.header("location"),
        let next = URL(string: location, relativeTo: URL(string: address))
      else { return Page(address: address, reply: reply) }
      if reply.status != 307, reply.status != 308 { (method, form) = ("GET", nil) }
      address = next.absoluteString
    }
    throw WalkError.tooManyRedirects
  }

  private func request(_ method: String, _ address: String, form: String?) async throws -> WebReply {
    history.append(address)
    let place = places.first { address.hasPrefix($0.key + "/") }
    let address = place.map { $0.value + address.dropFirst($0.key.count) } ?? address
    let host = try WebAddress(address).host
    let carried = (cookies[host] ?? [:]).map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    let headers = carried.isEmpty ? [] : [(name: "Cookie", value: carried)]
    let reply = try await WebExchange.send(method, address, headers: headers, form: form)
    for (name, value) in reply.headers where name == "set-cookie" {
      let pair = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
      if pair.count == 2 { cookies[host, default: [:]][pair[0]] = pair[1] }
    }
    return reply
  }
}

import Foundation
import MSAuthCore

/// A browser without a display or scripts: it keeps cookies, follows redirects and presses buttons by ID.
package actor ScriptedBrowser {
  package struct Page: Sendable {
    package var address: String
    package var response: WebResponse

    package var title: String { HTMLForms.text(of: "title", in: response.text) ?? "" }

    package func has(_ id: String) -> Bool {
      HTMLForms.tags(in: response.text).contains { $0.attributes["id"] == id }
    }
  }

  static let maximumRedirects = 10
  static let maximumPages = 10

  /// By host: cookies ignore ports (RFC 6265 §8.5).
  private var cookies: [String: [String: String]] = [:]
  /// The addresses of all requests, in order.
  package private(set) var history: [String] = []

  /// Maps an origin such as `https://login.example` to a local one such as `http://127.0.0.1:8080`.
  private let origins: [String: String]

  package init(origins: [String: String] = [:]) {
    self.origins = origins
  }

  /// Returns the page behind all redirects.
  package func open(_ address: String) async throws -> Page { try await visit("GET", address, form: nil) }

  /// Presses the button with the ID, or the first submit button, after filling in fields by name.
  package func press(_ id: String?, on page: Page, typed: [String: String] = [:]) async throws -> Page {
    guard let form = HTMLForms.submission(of: id, in: page.response.text),
      // A form without an action is sent to the page's own address.
      let target = URL(string: form.action.isEmpty ? page.address : form.action, relativeTo: URL(string: page.address))
    else {
      let name = "\(page.response.status) \(page.address) \(page.title)"
      throw ScriptedBrowserError.noButton(id ?? "submit", page: name)
    }
    let fields = form.fields.map { (name: $0.name, value: typed[$0.name] ?? $0.value) }
    return try await visit("POST", target.absoluteString, form: FormEncoding.encode(fields))
  }

  /// Completes the provider's pages and returns the last one.
  package func walk(
    from address: String,
    as person: String,
    accepts: Bool = true,
    userCode: String? = nil
  ) async throws -> Page {
    var page = try await open(address)
    for _ in 0..<Self.maximumPages {
      let buttons = ["account-\(person)", accepts ? "accept" : "deny", "continue", "sign-out", "next"]
      guard let button = buttons.first(where: { page.has($0) }) else { break }
      page = try await press(button, on: page, typed: userCode.map { ["user_code": $0] } ?? [:])
    }
    return page
  }

  private func visit(_ method: String, _ address: String, form: String?) async throws -> Page {
    var (method, address, form) = (method, address, form)
    for _ in 0...Self.maximumRedirects {
      let response = try await request(method, address, form: form)
      guard (300...399).contains(response.status), let location = response.header("location"),
        let next = URL(string: location, relativeTo: URL(string: address))
      else { return Page(address: address, response: response) }
      if response.status != 307, response.status != 308 { (method, form) = ("GET", nil) }
      address = next.absoluteString
    }
    throw ScriptedBrowserError.tooManyRedirects
  }

  private func request(_ method: String, _ address: String, form: String?) async throws -> WebResponse {
    history.append(address)
    let origin = origins.first { address.hasPrefix($0.key + "/") }
    let address = origin.map { $0.value + address.dropFirst($0.key.count) } ?? address
    let host = try WebClient.host(of: address)
    let carried = (cookies[host] ?? [:]).map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    let headers = carried.isEmpty ? [] : [(name: "Cookie", value: carried)]
    let response = try await WebClient.send(method, address, headers: headers, form: form)
    for (name, value) in response.headers where name == "set-cookie" {
      let pair = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
      if pair.count == 2 { cookies[host, default: [:]][pair[0]] = pair[1] }
    }
    return response
  }
}

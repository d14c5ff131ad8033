import Foundation
import MSAuthCore

/// A browser without a display or scripts: it keeps cookies, follows redirects and presses buttons by ID.
package actor ScriptedBrowser {
  package struct Page: Sendable {
    package var address: String
    package var response: WebResponse

    package var title: String {
      response.text.firstMatch(of: /<title>([^<]*)<\/title>/).map { HTMLForms.unescaped($0.1) } ?? ""
    }

    package var requestsCode: Bool { ids.contains("user_code") }

    fileprivate var ids: [String] { HTMLForms.tags(in: response.text).compactMap { $0.attributes["id"] } }

    package func has(_ id: String) -> Bool { ids.contains(id) }
  }

  static let maximumRedirects = 10
  static let maximumPages = 10

  /// By host: cookies ignore ports (RFC 6265 §8.5).
  private var cookies: [String: [String: String]] = [:]
  package private(set) var history: [String] = []

  /// Maps an origin such as `https://login.example` to a local one such as `http://127.0.0.1:8080`.
  private let origins: [String: String]

  package init(origins: [String: String] = [:]) {
    self.origins = origins
  }

  /// Returns the page behind all redirects.
  package func open(_ address: String) async throws -> Page { try await visit(address, form: nil) }

  /// Presses the button with the ID, or the first submit button, after filling in fields by name.
  package func press(_ id: String?, on page: Page, typed: [String: String] = [:]) async throws -> Page {
    guard let form = HTMLForms.submission(of: id, in: page.response.text),
      // A form without an action is sent to the page's address.
      let target = URL(string: form.action.isEmpty ? page.address : form.action, relativeTo: URL(string: page.address))
    else {
      let name = "\(page.response.status) \(page.address) \(page.title)"
      throw ScriptedBrowserError.noButton(id ?? "submit", page: name)
    }
    let fields = form.fields.map { (name: $0.name, value: typed[$0.name] ?? $0.value) }
    return try await visit(target.absoluteString, form: FormEncoding.encode(fields))
  }

  /// Completes the provider's pages and returns the last one; without a user, chooses the first, the hinted one.
  package func walk(
    from address: String,
    as user: String?,
    accepts: Bool = true,
    userCode: String? = nil
  ) async throws -> Page {
    var page = try await open(address)
    for _ in 0..<Self.maximumPages {
      let ids = page.ids
      let account = user.map { "account-\($0)" } ?? ids.first { $0.hasPrefix("account-") }
      let buttons = [account, accepts ? "accept" : "deny", "continue", "sign-out", "next"].compactMap(\.self)
      guard let button = buttons.first(where: ids.contains) else { break }
      page = try await press(button, on: page, typed: userCode.map { ["user_code": $0] } ?? [:])
    }
    return page
  }

  private func visit(_ address: String, form: String?) async throws -> Page {
    var (address, form) = (address, form)
    for _ in 0...Self.maximumRedirects {
      let response = try await request(address, form: form)
      guard (300...399).contains(response.status), let location = response.header("location"),
        let next = URL(string: location, relativeTo: URL(string: address))
      else { return Page(address: address, response: response) }
      if response.status != 307, response.status != 308 { form = nil }
      address = next.absoluteString
    }
    throw ScriptedBrowserError.tooManyRedirects
  }

  /// Posts the form, or gets the address without one.
  private func request(_ address: String, form: String?) async throws -> WebResponse {
    history.append(address)
    let origin = origins.first { address.hasPrefix($0.key + "/") }
    let address = origin.map { $0.value + address.dropFirst($0.key.count) } ?? address
    let host = try WebClient.host(of: address)
    let carried = (cookies[host] ?? [:]).map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    let headers = carried.isEmpty ? [] : [(name: "Cookie", value: carried)]
    let response = try await WebClient.send(form == nil ? "GET" : "POST", address, headers: headers, form: form)
    for (name, value) in response.headers where name == "set-cookie" {
      let pair = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
      if pair.count == 2 { cookies[host, default: [:]][pair[0]] = pair[1] }
    }
    return response
  }
}

/// Parses just enough HTML to submit a form.
enum HTMLForms {
  static func tags(in html: String) -> [(name: String, attributes: [String: String])] {
    let attribute = /([\w-]+)(?:="([^"]*)")?/
    return html.matches(of: /<(\/?\w+)([^>]*)>/).map { tag in
      let attributes = tag.2.matches(of: attribute).map { ($0.1.lowercased(), unescaped($0.2 ?? "")) }
      return (tag.1.lowercased(), Dictionary(attributes) { $1 })
    }
  }

  /// The form data that a browser sends for a button; `nil` selects the first submit button.
  static func submission(
    of id: String?,
    in html: String
  ) -> (action: String, fields: [(name: String, value: String)])? {
    var action: String?
    var fields: [(name: String, value: String)] = []
    for tag in tags(in: html) {
      switch tag.name {
      case "form": (action, fields) = (tag.attributes["action"] ?? "", [])
      case "/form": action = nil
      case "input": if let name = tag.attributes["name"] { fields.append((name, tag.attributes["value"] ?? "")) }
      case "button" where id.map { $0 == tag.attributes["id"] } ?? (tag.attributes["type"] == "submit"):
        guard let action else { return nil }
        if let name = tag.attributes["name"] { fields.append((name, tag.attributes["value"] ?? "")) }
        return (action, fields)
      default: break
      }
    }
    return nil
  }

  static func unescaped(_ text: Substring) -> String {
    String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }
}

package enum ScriptedBrowserError: Error, Equatable {
  case foreignAddress(String)
  case noResponse(String)
  case tooManyRedirects
  /// The page is described by its status, address and title.
  case noButton(String, page: String)
}

extension ScriptedBrowserError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .foreignAddress(let text): "\(text) isn't a loopback address such as http://127.0.0.1:8080/"
    case .noResponse(let reason): reason
    case .tooManyRedirects: "too many redirects"
    case .noButton(let name, let page): "the page has no button \(name): \(page)"
    }
  }
}

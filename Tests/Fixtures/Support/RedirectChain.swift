/// The way of a browser without a screen from one address over redirects to a page.
package struct RedirectChain: Sendable {
  /// The answers in order; the last is the page.
  package let answers: [HTTPClient.Response]
  /// The address of the page.
  package let address: String

  /// The page.
  package var page: HTTPClient.Response {
    get throws {
      guard let last = answers.last else { throw TestFailure("no answer at \(address)") }
      return last
    }
  }

  /// Follows redirects, as far as ten.
  ///
  /// - Parameter url: Where to begin.
  /// - Returns: What came.
  /// - Throws: ``TestFailure`` when an address does not answer.
  package static func from(_ url: String) async throws -> RedirectChain {
    var url = url
    var answers: [HTTPClient.Response] = []
    while answers.count < 10 {
      let answer = try await HTTPClient.send("GET", url)
      answers.append(answer)
      guard (300..<400).contains(answer.status) else { return RedirectChain(answers: answers, address: url) }
      url = try resolve(answer.header("location"), at: url)
    }
    throw TestFailure("more than ten redirects, the last to \(url)")
  }

  /// Where a `Location` header leads.
  ///
  /// - Parameters:
  ///   - location: The header's value.
  ///   - url: The address that answered with it.
  /// - Returns: An absolute URL.
  /// - Throws: ``TestFailure`` when it leads nowhere.
  package static func resolve(_ location: String?, at url: String) throws -> String {
    guard let location, let next = URL(string: location, relativeTo: URL(string: url)) else {
      throw TestFailure("\(url) redirects to \(location ?? "nowhere")")
    }
    return next.absoluteString
  }
}

import FoundationEssentials
import MSAuth

/// Microsoft Graph, or another API that a token may be sent to.
struct GraphEndpoint {
  /// The URL in the options or the settings.
  let chosen: String?
  /// Whether paths begin with Graph's version; those of an API that --endpoint names don't.
  let hasVersions: Bool

  /// The chosen URL, else the Graph of the authority's cloud, because another cloud's Graph must not get the token.
  func url(of authority: Authority) throws(AuthenticationError) -> String {
    if let url = chosen ?? authority.graphEndpoint?.absoluteString { return url }
    let message = "no Microsoft Graph is known for \(authority.url.printable())"
    let hint: Hint = "set its URL with --endpoint, or as \"graph_endpoint\" in the configuration"
    throw AuthenticationError(.invalidConfiguration, message, reason: "graph_endpoint_missing", hint: hint)
  }

  /// The given URL, if it is on this Graph, else the path below it.
  func target(_ path: String, of authority: Authority) throws(AuthenticationError) -> WebURL {
    let base = try url(of: authority)
    let isURL = ["https://", "http://"].contains { path.utf8.map(\.asciiLowercased).starts(with: $0.utf8) }
    let address = isURL ? path : address(path, below: base)
    let target: WebURL
    let origin: String
    do throws(Rejection) {
      target = try WebURL(address, .request)
      origin = isURL ? try WebURL(base, .request).origin : target.origin
    } catch {
      throw AuthenticationError.usage("\(address.quoted) \(error.reason)")
    }
    guard target.origin == origin else {
      let hint: Hint = "use --endpoint for another API"
      throw AuthenticationError.usage("the URL isn't on the configured Graph (\(origin))", hint: hint)
    }
    return target
  }

  /// The link to the next page, as OData, SharePoint or Azure Resource Manager names it, and its URL if it may get a token.
  static func next(after page: JSONValue, at url: WebURL) -> (link: String, target: WebURL?)? {
    let names = ["@odata.nextLink", "odata.nextLink", "nextLink"]
    guard let link = names.firstNonNil({ page[$0]?.string }), !link.isEmpty else { return nil }
    let address = URL(string: link, relativeTo: URL(string: url.string))?.absoluteString ?? ""
    guard let target = try? WebURL(address, .request), target.origin == url.origin else { return (link, nil) }
    return (link, target)
  }

  /// The path's URL: below Graph's version 1.0, unless the path or the endpoint has a version or another path.
  private func address(_ path: String, below url: String) -> String {
    var base = url
    while base.hasSuffix("/") { base.removeLast() }
    let name = path.utf8.first == UInt8(ascii: "/") ? String(path.dropFirst()) : path
    let versions = ["v1.0", "beta"]
    let hasVersion = versions.contains(String(name.prefix { $0 != "/" && $0 != "?" }))
    // The path's version replaces the endpoint's.
    if hasVersion, let old = versions.first(where: { base.hasSuffix("/" + $0) }) { base.removeLast(old.count + 1) }
    // With --endpoint, a path that begins with / is used as it is.
    let isWhole = hasVersion || (!hasVersions && name != path)
    let hasPath = base.split(separator: "/", omittingEmptySubsequences: true).count > 2
    return base + (isWhole || hasPath ? "/" : "/v1.0/") + name
  }
}

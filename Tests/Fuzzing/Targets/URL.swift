import MSAuthCore

@testable import MSAuthOAuth

/// URLs with each policy, and authorities.
@Sendable func fuzzURL(_ input: Input) {
  let text = input.text
  for policy in [WebURL.Policy.issuer, .endpoint, .request, .browser] {
    guard let url = try? WebURL(text, policy) else { continue }
    require(text.utf8.allSatisfy(\.isASCIIVisible), "a URL has visible characters alone")
    require(text.utf8.count <= policy.maximumBytes, "a URL is within its limit")
    guard let again = try? WebURL(url.string, policy) else {
      fatalError("broken promise: a URL that is written is read")
    }
    require(again == url && again.string.isIdentical(to: url.string), "a URL that is written is the same")
    require(again.host == url.host && again.path == url.path && again.query == url.query, "so are its parts")
    require(url.effectivePort == again.effectivePort && (1...65535).contains(url.effectivePort), "a port is one")
    require(url.matches(url), "a URL is its own")
    require(!url.host.isEmpty && !url.host.utf8.contains { "/?#@\\".utf8.contains($0) }, "a host is a host")
    if url.isLoopback { require(isLoopback(url.host), "only this machine is this machine: \(url.host)") }
  }
  checkAuthority(text)
}

private func isLoopback(_ host: String) -> Bool {
  if host == "localhost" || host == "[::1]" { return true }
  let octets = host.split(separator: ".", omittingEmptySubsequences: false)
  return octets.count == 4 && octets[0] == "127"
    && octets.allSatisfy { $0.utf8.allSatisfy(\.isASCIIDigit) && (0..<256).contains(Int($0) ?? -1) }
}

private func checkAuthority(_ text: String) {
  for kind in [nil] + Authority.Kind.allCases.map(Optional.some) {
    do {
      let authority = try Authority(parsing: text, kind: kind)
      let again = try Authority(parsing: authority.url, kind: authority.kind)
      require(again == authority, "an authority's canonical URL is its own: \(authority.url) \(again.url)")
      guard let url = try? WebURL(authority.metadataURL) else { fatalError("broken promise: metadata have a URL") }
      require(url.hostAndPort == authority.host, "metadata are at the authority's host")
      let moved = authority.inTenant("contoso.example")
      require(moved.host == authority.host && moved.kind == authority.kind, "a tenant is at the same host")
      if let rule = try? IssuerRule(issuer: text, authority: authority) { _ = rule.matches(text) }
      if let cloud = authority.inCloud("login.microsoftonline.us", known: []) {
        require(cloud.host == "login.microsoftonline.us", "another cloud is at its own host")
      }
    } catch {
      requirePrintable("\(error)", "a message")
    }
  }
}

import MSAuthCore

@testable import MSAuthOAuth

/// URLs with each policy, and authorities.
@Sendable func fuzzURL(_ input: Input) {
  let text = input.text
  for policy in [WebURL.Policy.issuer, .endpoint, .request, .browser] {
    guard let url = try? WebURL(text, policy) else { continue }
    require(text.utf8.allSatisfy(\.isASCIIVisible), "a URL has only visible characters")
    require(text.utf8.count <= policy.maximumBytes, "a URL is within its limit")
    let again = require(try? WebURL(url.string, policy), "a written URL is parsed")
    require(again == url && again.string.isIdentical(to: url.string), "a URL round-trips")
    require(again.host == url.host && again.path == url.path && again.query == url.query, "its parts round-trip")
    require(url.effectivePort == again.effectivePort && (1...65535).contains(url.effectivePort), "a port is valid")
    require(url.matches(url), "a URL matches itself")
    require(!url.host.isEmpty && !url.host.utf8.contains { "/?#@\\".utf8.contains($0) }, "a host has no delimiters")
    if url.isLoopback { require(isLoopback(url.host), "a loopback host is this machine's: \(url.host)") }
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
      let authority = try Authority(text, kind: kind)
      let again = try Authority(authority.url, kind: authority.kind)
      require(again == authority, "an authority's URL is canonical: \(authority.url) \(again.url)")
      let url = require(try? WebURL(authority.metadataURL), "the metadata's address is a URL")
      require(url.hostAndPort == authority.host, "the metadata is on the authority's host")
      if let moved = try? authority.inTenant("contoso.example") {
        require(moved.host == authority.host && moved.kind == authority.kind, "a tenant has the same host")
      }
      if let rule = try? IssuerRule(issuer: text, authority: authority) { _ = rule.matches(text) }
      if let cloud = authority.inCloud("login.microsoftonline.us", known: []) {
        require(cloud.host == "login.microsoftonline.us", "another cloud has its own host")
      }
    } catch {
      requirePrintable("\(error)", "a message")
    }
  }
}

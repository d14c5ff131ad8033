import MSAuthCore

/// The names of Azure Artifacts' package feeds, which get a token for Azure DevOps.
package enum PackageFeed {
  /// Whether a name is the https URL of a feed, or a feed's host alone, as pip passes them.
  package static func accepts(_ name: String) -> Bool {
    let scheme = "https://"
    guard name.utf8.allSatisfy(\.isASCIIVisible) else { return false }
    let hasScheme = name.lowercased().hasPrefix(scheme)
    let rest = hasScheme ? name.dropFirst(scheme.utf8.count) : name[...]
    // A username only chooses among credentials. It ends before the path, where an @ can follow the name of a feed.
    let authority = rest.prefix { !"/?#\\".contains($0) }
    let user = authority.firstIndex(of: "@").map { authority[..<$0] }
    guard user?.allSatisfy({ $0.isLetter || $0.isNumber || "-._~%".contains($0) }) ?? true,
      let url = try? WebURL(scheme + rest.dropFirst(user.map { $0.utf8.count + 1 } ?? 0)),
      url.query == nil, url.explicitPort == nil
    else { return false }
    let labels = url.host.split(separator: ".", maxSplits: 1)
    return url.host == "pkgs.dev.azure.com" || labels.last == "pkgs.visualstudio.com" && labels.count == 2
  }
}

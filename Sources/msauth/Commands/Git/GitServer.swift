import MSAuth

/// The servers that git gets tokens for.
enum GitServer {
  /// Azure DevOps accepts only tokens for its own resource ("Use Microsoft Entra OAuth with Azure DevOps").
  static let azureDevOpsScope = "499b84ac-1321-427f-aa17-267ca6975798/.default"

  static func isAzureDevOps(_ origin: String) -> Bool {
    origin == "https://dev.azure.com" || origin.hasSuffix(".visualstudio.com")
  }

  /// The origin of a URL or host; http is allowed only on this machine.
  static func origin(of server: String) throws(AuthenticationError) -> String {
    if server.isEmpty { throw .usage("the server is empty") }
    let url: WebURL
    do {
      url = try WebURL(server.contains("://") ? server : "https://\(server)")
    } catch {
      throw .usage("the server \(server.printable(limit: 100)) \(error.reason)", hint: hint(for: server))
    }
    guard ["", "/"].contains(url.path), url.query == nil else {
      throw .usage("the server must have no path", hint: "did you mean \(command: [url.origin])?")
    }
    return url.origin
  }

  /// The server in a repository's address with a user, such as git@github.com:org/repository.git.
  private static func hint(for address: String) -> Hint? {
    let authority = address.trimmingPrefix(#/[a-z]+:\/\//#).prefix { $0 != "/" }
    guard let sign = authority.lastIndex(of: "@") else { return nil }
    let host = authority[sign...].dropFirst()
    // Another scheme's port isn't that of https, and scp's colon precedes the path.
    let server = address.hasPrefix("https://") ? host : host.prefix { $0 != ":" }
    return (try? WebURL("https://\(server)")).map { "did you mean \(command: [$0.origin])?" }
  }
}

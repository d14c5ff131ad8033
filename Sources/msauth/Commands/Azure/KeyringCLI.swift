import FoundationEssentials
import Glibc
import MSAuth
import MSAuthAzure
import MSAuthUnix

/// `keyring get URL USER` for the package feeds of Azure Artifacts, which pip and uv run.
enum KeyringCLI {
  private static let username = "VssSessionToken"
  private static let unsearchedPath = "MSAUTH_KEYRING_PATH"

  static func run(_ arguments: ArraySlice<String>) async throws {
    guard let parsed = try? ToolArguments(arguments), parsed.positionals.first == "get", parsed.positionals.count >= 2,
      PackageFeed.accepts(parsed.positionals[1])
    else {
      return try execNext(arguments)
    }
    let token = try await ToolClient().token([GitServer.azureDevOpsScope]).bearerToken()
    let name = parsed.positionals.count > 2 ? parsed.positionals[2] : username
    let usernames = parsed["mode"] == "creds" ? [(name: "username", value: name)] : []
    let credential = usernames + [("password", token)]
    if parsed["output"] == "json" { return try Console.result(object: credential) }
    try Console.result(credential.map(\.value).joined(separator: "\n"))
  }

  /// Replaces this process with the user's own keyring program, if there is one.
  private static func execNext(_ arguments: ArraySlice<String>) throws {
    let environment = ProcessInfo.processInfo.environment
    // The next program may be another msauth: it continues the search instead of finding this one.
    var directories = (environment[unsearchedPath] ?? environment["PATH"] ?? "").split(separator: ":")[...]
    let msauth = try ProcessLauncher.program
    while let directory = directories.popFirst() {
      let path = "\(directory)/keyring"
      guard access(path, X_OK) == 0, !resolved(path).isIdentical(to: msauth) else { continue }
      let changes = ["\(unsearchedPath)=\(directories.joined(separator: ":"))"]
      _ = ProcessLauncher.exec(
        path,
        [path] + arguments,
        changing: changes,
        keeping: ProcessLauncher.inheritedDescriptors
      )
    }
    // keyring exits with 1 if it has no password.
    throw CommandFailure()
  }
}

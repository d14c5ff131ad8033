import DemoProvider
import Foundation
import Glibc
import MSAuthCore
import MSAuthUnix
import Subprocess

/// A directory for msauth's configuration and tokens, and the variables that make msauth use it and the provider.
struct DemoEnvironment {
  private let home: String
  private let settings: [(name: String, value: String)]

  /// Creates the directory, which can't be used after the provider has ended.
  init(_ provider: DemoProvider, usesOIDC: Bool) throws {
    home = FileManager.default.temporaryDirectory.path + "/msauth-demo.\(UUID())"
    settings = [
      ("MSAUTH_CONFIG", home + "/config.json"),
      ("MSAUTH_STORE", "file"),
      ("MSAUTH_CACHE_FILE", home + "/token_cache.json"),
      ("MSAUTH_CLIENT_ID", provider.clientID),
      ("MSAUTH_AUTHORITY", usesOIDC ? provider.oidcIssuer : provider.entraAuthority()),
      ("MSAUTH_AUTHORITY_TYPE", usesOIDC ? "oidc" : "aad"),
      ("MSAUTH_GRAPH_ENDPOINT", provider.graphURL),
    ]
    for directory in [home, home + "/run"] where mkdir(directory, 0o700) != 0 { throw CocoaError(.fileWriteUnknown) }
    try Data("{}\n".utf8).write(to: URL(filePath: home + "/config.json"))
    chmod(home + "/config.json", 0o600)
  }

  func remove() { try? FileManager.default.removeItem(atPath: home) }

  /// Commands for a shell.
  var exports: String {
    // The values are URLs and identifiers of the provider, without characters that a shell would interpret.
    let path = buildDirectory.map { [("PATH", $0.shellQuoted + ":$PATH")] } ?? []
    return (path + settings).map { "  export \($0)=\($1)" }.joined(separator: "\n")
  }

  /// The environment of a command.
  var forCommand: Subprocess.Environment {
    var variables = (settings + files).map { (Environment.Key(stringLiteral: $0.name), Optional($0.value)) }
    // The user's own settings don't belong to this provider.
    variables += ["MSAUTH_TENANT", "MSAUTH_ACCOUNT", "MSAUTH_PROFILE", "MSAUTH_STORE_KEY_FILE"].map {
      (Environment.Key(stringLiteral: $0), nil)
    }
    if let buildDirectory {
      let path = ProcessInfo.processInfo.environment["PATH"].map { ":" + $0 } ?? ""
      variables.append(("PATH", buildDirectory + path))
    }
    return .inherit.updating(Dictionary(variables) { $1 })
  }

  /// Other files that msauth, git, kubectl and Docker would otherwise keep in the user's home.
  private var files: [(name: String, value: String)] {
    // A container has no login session's directory.
    let named = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]
    let runtime = RuntimeDirectory.usable(named).path == nil ? [("XDG_RUNTIME_DIR", home + "/run")] : []
    return runtime + [
      ("XDG_CACHE_HOME", home + "/cache"), ("GIT_CONFIG_GLOBAL", home + "/gitconfig"),
      ("KUBECONFIG", home + "/kubeconfig"), ("DOCKER_CONFIG", home + "/docker"),
    ]
  }

  /// The directory of this program, if `msauth` is there too and the shell wouldn't find it, as after `swift build`.
  private var buildDirectory: String? {
    let directory = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains(Substring(directory))
      || !FileManager.default.isExecutableFile(atPath: directory + "/msauth") ? nil : directory
  }
}

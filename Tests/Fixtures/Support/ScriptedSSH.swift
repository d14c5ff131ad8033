/// A substitute for `ssh` that runs its command on this computer, in another home.
package struct ScriptedSSH: Sendable {
  /// The remote home.
  package let home: Home
  private let client: Home

  /// A directory with `ssh`, for `PATH`.
  package var programs: String { client.path("bin") }
  package var environment: [String: String] { ["PATH": "\(programs):/usr/bin:/bin"] }

  package init(_ script: String? = nil) throws {
    (home, client) = (try Home(), try Home())
    var environment = home.environment
    environment["PATH"] = "\(client.path("data")):/usr/bin:/bin"
    try client.link("data/msauth", to: BuiltProducts.msauth)
    let variables = environment.map { "'\($0.key)=\($0.value)'" }.joined(separator: " ")
    try client.script(
      """
      printf '%s\\n' "$@" > \(client.path("arguments"))
      while [ "$1" != -- ]; do shift; done
      shift 2
      run() { exec env -i \(variables) /bin/sh -c "$*"; }
      \(script ?? #"run "$@""#)
      """,
      to: "bin/ssh"
    )
  }

  /// The recorded arguments.
  package var arguments: [String] {
    (client.read("arguments") ?? "").split(separator: "\n").map(String.init)
  }
}

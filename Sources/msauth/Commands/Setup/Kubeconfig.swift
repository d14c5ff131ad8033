import MSAuth

/// kubectl's configuration, and the `kubectl` commands that change how a context gets tokens.
struct Kubeconfig {
  let json: JSONValue
  /// The context, or the cluster that gets a context of its name.
  let context: String

  /// The variable of msauth's user that stores the context's previous one for --remove.
  private static let previousUserVariable = "MSAUTH_PREVIOUS_USER"

  private var entry: JSONValue? { value("contexts", context) }

  var hasContext: Bool { entry != nil }

  /// The URL of the context's cluster.
  var server: String? { value("clusters", entry?["cluster"]?.string ?? context)?["server"]?.string }

  /// The context's user if it runs msauth, even if the context was renamed; else the user that setup adds.
  private var user: String {
    let user = entry?["user"]?.string
    let exec = user.flatMap { value("users", $0)?["exec"] }
    return user.flatMap { exec?["command"] == "msauth" ? $0 : nil } ?? "msauth-\(context)"
  }

  /// The context's user, if it isn't the one that setup gives it.
  var previousUser: String? {
    let previous = entry?["user"]?.string ?? ""
    return previous.isEmpty || previous == user ? nil : previous
  }

  /// The `kubectl` commands that set it up; none if it is set up already.
  func setupCommands(running arguments: [String]) throws(AuthenticationError) -> [[String]] {
    if !hasContext, value("clusters", context) == nil {
      let name = context.printable(limit: 100).quoted
      throw ForeignProgram.configurationError("kubectl's configuration has no context or cluster \(name)")
        .with(hint: "list them: \(command: ["kubectl", "config", "get-contexts"])")
    }
    let (user, previous) = (user, entry?["user"]?.string ?? "")
    let exec = value("users", user)?["exec"]
    let isCurrent = exec?["command"] == "msauth" && exec?["args"]?.array?.compactMap(\.string) == arguments
    if isCurrent, previous == user { return [] }
    // v1beta1: older kubectl versions support nothing newer, and can't set v1's interactive mode.
    var credentials = ["--exec-api-version=client.authentication.k8s.io/v1beta1", "--exec-command=msauth"]
    if previous != user {
      // Stored for --remove. An empty value stands for a new context; a hyphen removes the variable.
      let value = hasContext && previous.isEmpty ? "-" : "=\(previous)"
      credentials.append("--exec-env=\(Self.previousUserVariable)\(value)")
    }
    let cluster = hasContext ? [] : ["--cluster=\(context)"]
    return [
      ["config", "set-credentials"] + credentials + arguments.map { "--exec-arg=\(Self.field($0))" } + ["--", user],
      ["config", "set-context"] + cluster + ["--user=\(user)", "--", context],
    ]
  }

  /// The commands that restore each context's previous user, and delete the context and the user that setup created.
  var removalCommands: [[String]] {
    let user = user
    guard let credentials = value("users", user) else { return [] }
    let variable = credentials["exec"]?["env"]?.array?.first { $0["name"]?.string == Self.previousUserVariable }
    let previous = variable?["value"]?.string
    let contexts = json["contexts"]?.array?.filter { $0["context"]?["user"]?.string == user } ?? []
    let restored = contexts.compactMap { $0["name"]?.string }.map { name in
      previous == "" && name == context
        ? ["config", "delete-context", "--", name]
        : ["config", "set-context", "--user=\(previous ?? "")", "--", name]
    }
    return restored + [["config", "delete-user", "--", user]]
  }

  /// Quotes a word for kubectl, which parses each argument as a CSV field.
  private static func field(_ word: String) -> String {
    guard word.utf8.contains(where: ",\"".utf8.contains) else { return word }
    return "\"\(word.replacing("\"", with: "\"\""))\""
  }

  /// The value with a name in a list, such as a `user` of `users`.
  private func value(_ list: String, _ name: String) -> JSONValue? {
    json[list]?.array?.first { $0["name"]?.string == name }?[String(list.dropLast())]
  }
}

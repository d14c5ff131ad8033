import ArgumentParser
import FoundationEssentials
import Glibc
import MSAuth
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix

struct SetupKubectl: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "kubectl",
    abstract: "Let kubectl get tokens for a cluster.",
    discussion: """
      Runs kubectl config to add a user that runs msauth token, and to give it to the context. A cluster without a context \
      gets a new one. Copies of the changed files are kept beside them. Most clusters outside Azure expect the ID token.

      EXAMPLES
        $ msauth setup kubectl my-cluster --id-token
        $ msauth setup kubectl my-aks --profile aks
        $ msauth setup kubectl my-cluster --remove
      """
  )

  @Argument(help: "Context or cluster in kubectl's configuration.")
  var context: String

  @Flag(help: "Send the ID token instead of the access token.")
  var idToken = false

  @Flag(help: .interactive) var interactive = false

  @OptionGroup var options: SetupOptions

  private static let previousUser = "MSAUTH_PREVIOUS_USER"

  func validate() throws {
    try reject(["the context is empty": context.isEmpty])
    try options.check(["--id-token": idToken, "--interactive": interactive], [context])
  }

  func run() async throws {
    // 1. The settings.
    let settings = try options.mode.remove ? nil : options.settings
    let arguments = try settings.map(arguments) ?? []

    // 2. kubectl's configuration.
    let (remove, print) = (options.mode.remove, options.mode.print)
    let (kubeconfig, commands) =
      print
      ? try await plannedCommands(running: arguments)
      : try await ForeignProgram.locking(files[0]) {
        let plan = try await plannedCommands(running: arguments)
        try await apply(plan.commands)
        return plan
      }

    // 3. What changed.
    let name = context.printable(limit: 100)
    if commands.isEmpty {
      let verb = remove ? "doesn't use" : "already uses"
      return Console.notice("kubectl \(verb) msauth for \(name); nothing was written")
    }
    if !remove, let previous = previousUser(kubeconfig) {
      let verb = print ? "is" : "was"
      Console.notice("the context's user \(verb) \(previous.printable(limit: 100)); --remove restores it")
    }
    if !print { Console.notice("kubectl \(remove ? "no longer uses" : "will use") msauth for \(name)") }
    if print || !remove { try Console.result(commands.map { (["kubectl"] + $0).shellCommand }.joined(separator: "\n")) }

    // 4. A token, as the cluster will get it.
    if let settings, !print { try await checkCluster(kubeconfig, settings) }
  }

  /// kubectl's configuration, and the calls of `kubectl` that change it; none if nothing has to change.
  private func plannedCommands(
    running arguments: [String]
  ) async throws -> (kubeconfig: JSONValue, commands: [[String]]) {
    let kubeconfig = try await kubeconfig()
    let remove = options.mode.remove
    return (kubeconfig, try remove ? removalCommands(kubeconfig) : setupCommands(kubeconfig, running: arguments))
  }

  private func apply(_ commands: [[String]]) async throws {
    if commands.isEmpty { return }
    let hint: Hint? = options.mode.remove ? nil : "run the commands that --print prints"
    try await ForeignProgram.keepingCopies(of: files, "kubectl", hint: hint) {
      for command in commands { _ = try await kubectl(command) }
    }
  }

  private func kubeconfig() async throws(AuthenticationError) -> JSONValue {
    let output = try await kubectl(["config", "view", "--output", "json"])
    do {
      return try JSONValue(parsing: output.utf8, options: .strict(maximumSize: ForeignProgram.outputLimit))
    } catch {
      throw ForeignProgram.configurationError("the output of kubectl config view can't be parsed: \(error)")
    }
  }

  /// Checks that the cluster accepts the token.
  private func checkCluster(_ kubeconfig: JSONValue, _ settings: Settings) async throws {
    let old = Self.value("contexts", context, in: kubeconfig)
    if old == nil, !Console.isQuiet {
      Console.hint("use the new context: \(command: ["kubectl", "config", "use-context", context])")
    }
    Setup.checkPath(for: "kubectl")
    let server = Self.value("clusters", old?["cluster"]?.string ?? context, in: kubeconfig)?["server"]?.string
    if let server, server.lowercased().hasPrefix("http://") {
      return Console.notice("kubectl sends no token to \(server.printable(limit: 200))")
    }
    if interactive {
      Console.notice("checking with the cluster; your browser may open")
    } else {
      var session = try await Session(settings, nil, scopes: options.scope.names)
      session.parameters.requiresIDToken = idToken
      let hasToken = try await Setup.checkToken(for: "kubectl") {
        let result = try await session.token()
        _ = try idToken ? result.requiredIDToken() : result.bearerToken()
      }
      guard hasToken else { return }
    }
    // Every authenticated user may read /api.
    let request = ["--context=\(context)", "--request-timeout", "10s", "get", "--raw", "/api"]
    do {
      _ = try await kubectl(request)
      Console.notice("the cluster accepts the token")
    } catch {
      if error.code == .canceled { throw error }
      Console.say("the cluster didn't accept a token yet: \(error.message)")
      Console.hint("try again: \(command: ["kubectl"] + request)")
    }
  }

  /// The arguments with which kubectl runs msauth.
  private func arguments(_ settings: Settings) throws -> [String] {
    if !idToken {
      try settings.requireScope(options.scope.names, for: "a cluster", hint: "add --id-token, or --scope")
    }
    var words = ["token", "--output", "exec-credential"]
    if idToken { words.append("--id-token") }
    if interactive { words.append("--interactive") }
    return words + Setup.options(settings, scopes: options.scope.names, ["account": settings.given["account"]])
  }

  /// The context's user if it runs msauth, even if the context was renamed; else the user that setup adds.
  private func user(_ kubeconfig: JSONValue) -> String {
    let user = Self.value("contexts", context, in: kubeconfig)?["user"]?.string
    let exec = user.flatMap { Self.value("users", $0, in: kubeconfig)?["exec"] }
    return user.flatMap { exec?["command"] == "msauth" ? $0 : nil } ?? "msauth-\(context)"
  }

  /// The context's user, if it isn't the one that setup gives it.
  private func previousUser(_ kubeconfig: JSONValue) -> String? {
    let previous = Self.value("contexts", context, in: kubeconfig)?["user"]?.string ?? ""
    return previous.isEmpty || previous == user(kubeconfig) ? nil : previous
  }

  /// The calls of `kubectl` that set it up; none if it is set up already.
  private func setupCommands(_ kubeconfig: JSONValue, running arguments: [String]) throws -> [[String]] {
    let old = Self.value("contexts", context, in: kubeconfig)
    if old == nil, Self.value("clusters", context, in: kubeconfig) == nil {
      throw ForeignProgram.configurationError(
        "kubectl's configuration has no context or cluster \(context.printable(limit: 100).quoted)"
      )
      .with(hint: "list them: \(command: ["kubectl", "config", "get-contexts"])")
    }
    let (user, previous) = (user(kubeconfig), old?["user"]?.string ?? "")
    let exec = Self.value("users", user, in: kubeconfig)?["exec"]
    let isCurrent = exec?["command"] == "msauth" && exec?["args"]?.array?.compactMap(\.string) == arguments
    if isCurrent, previous == user { return [] }
    // v1beta1: older kubectl versions support nothing newer, and can't set v1's interactive mode.
    var credentials = ["--exec-api-version=client.authentication.k8s.io/v1beta1", "--exec-command=msauth"]
    if previous != user {
      // Stored for --remove. An empty value stands for a new context; a hyphen removes the variable.
      let value = old != nil && previous.isEmpty ? "-" : "=\(previous)"
      credentials.append("--exec-env=\(Self.previousUser)\(value)")
    }
    let cluster = old == nil ? ["--cluster=\(context)"] : []
    return [
      ["config", "set-credentials"] + credentials + arguments.map { "--exec-arg=\(Self.field($0))" } + ["--", user],
      ["config", "set-context"] + cluster + ["--user=\(user)", "--", context],
    ]
  }

  /// The calls that restore the previous user of each context, and delete the context and the user that setup created.
  private func removalCommands(_ kubeconfig: JSONValue) -> [[String]] {
    let user = user(kubeconfig)
    guard let entry = Self.value("users", user, in: kubeconfig) else { return [] }
    let variable = entry["exec"]?["env"]?.array?.first { $0["name"]?.string == Self.previousUser }
    let previous = variable?["value"]?.string
    let contexts = kubeconfig["contexts"]?.array?.filter { $0["context"]?["user"]?.string == user } ?? []
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
  private static func value(_ list: String, _ name: String, in configuration: JSONValue) -> JSONValue? {
    configuration[list]?.array?.first { $0["name"]?.string == name }?[String(list.dropLast())]
  }

  private var files: [String] {
    get throws {
      let variable = ProcessInfo.processInfo.environment["KUBECONFIG"] ?? ""
      let paths = Set(variable.split(at: ":").filter { !$0.isEmpty }).sorted()
      return paths.isEmpty ? [try ForeignProgram.home + "/.kube/config"] : paths
    }
  }

  private func kubectl(_ arguments: [String]) async throws(AuthenticationError) -> String {
    let environment = ProcessInfo.processInfo.environment
    let result = try await ForeignProgram.run("kubectl", arguments, environment)
    if result.code == 0 { return result.output }
    let ending = result.code.map { "kubectl ended with status \($0)" } ?? "a signal ended kubectl"
    let text = result.errors.printable(limit: 300)
    throw ForeignProgram.configurationError(text.isEmpty ? ending : "kubectl: \(text)")
  }
}

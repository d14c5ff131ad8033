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

  func validate() throws {
    if context.isEmpty { throw AuthenticationError.usage("the context is empty") }
    try options.rejectIgnored(["--id-token": idToken, "--interactive": interactive], [context])
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
    if !remove, let previous = kubeconfig.previousUser {
      let verb = print ? "is" : "was"
      Console.notice("the context's user \(verb) \(previous.printable(limit: 100)); --remove restores it")
    }
    if !print { Console.notice("kubectl \(remove ? "no longer uses" : "will use") msauth for \(name)") }
    if print || !remove { try Console.result(commands.map { (["kubectl"] + $0).shellCommand }.joined(separator: "\n")) }

    // 4. A token, as the cluster will get it.
    if let settings, !print { try await checkCluster(kubeconfig, settings) }
  }

  /// kubectl's configuration, and the `kubectl` commands that change it; none if nothing has to change.
  private func plannedCommands(
    running arguments: [String]
  ) async throws -> (kubeconfig: Kubeconfig, commands: [[String]]) {
    let kubeconfig = try await kubeconfig()
    let remove = options.mode.remove
    return (kubeconfig, try remove ? kubeconfig.removalCommands : kubeconfig.setupCommands(running: arguments))
  }

  private func apply(_ commands: [[String]]) async throws {
    if commands.isEmpty { return }
    let hint: Hint? = options.mode.remove ? nil : "run the commands that --print prints"
    try await ForeignProgram.keepingCopies(of: files, "kubectl", hint: hint) {
      for command in commands { _ = try await kubectl(command) }
    }
  }

  private func kubeconfig() async throws(AuthenticationError) -> Kubeconfig {
    let output = try await kubectl(["config", "view", "--output", "json"])
    do {
      let json = try JSONValue(parsing: output.utf8, options: .strict(maximumSize: ForeignProgram.outputLimit))
      return Kubeconfig(json: json, context: context)
    } catch {
      throw ForeignProgram.configurationError("the output of kubectl config view can't be parsed: \(error)")
    }
  }

  /// Checks that the cluster accepts the token.
  private func checkCluster(_ kubeconfig: Kubeconfig, _ settings: Settings) async throws {
    if !kubeconfig.hasContext, !Console.isQuiet {
      Console.hint("use the new context: \(command: ["kubectl", "config", "use-context", context])")
    }
    Setup.noticeMissingLink(for: "kubectl")
    if let server = kubeconfig.server, server.lowercased().hasPrefix("http://") {
      return Console.notice("kubectl sends no token to \(server.printable(limit: 200))")
    }
    if interactive {
      Console.notice("checking with the cluster; your browser may open")
    } else {
      var session = try await Session(settings, scopes: options.scope.names)
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
      Console.message("the cluster didn't accept a token yet: \(error.message)")
      Console.hint("try again: \(command: ["kubectl"] + request)")
    }
  }

  /// The arguments with which kubectl runs msauth.
  private func arguments(_ settings: Settings) throws -> [String] {
    if !idToken {
      try settings.requireScope(options.scope.names, for: "a cluster", hint: "add --id-token, or --scope")
    }
    var arguments = ["token", "--output", "exec-credential"]
    if idToken { arguments.append("--id-token") }
    if interactive { arguments.append("--interactive") }
    let account = ["account": settings.given["account"]]
    return arguments + Setup.options(for: settings, scopes: options.scope.names, adding: account)
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

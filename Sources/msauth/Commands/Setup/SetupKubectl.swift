import ArgumentParser
import FoundationEssentials
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
    try reject(mistakes: ["the context is empty": context.isEmpty])
    try options.rejectIgnored(["--id-token": idToken, "--interactive": interactive], [context], printsRemoval: true)
  }

  func run() async throws {
    if options.mode.remove { return try await remove() }
    // 1. The settings.
    let settings = try options.settings
    let arguments = try arguments(settings)

    // 2. kubectl's configuration.
    let (kubeconfig, commands) = try await planAndRun(hint: "run the commands that --print prints") { kubeconfig in
      try kubeconfig.setupCommands(running: arguments)
    }
    if commands.isEmpty { return noticeUnchanged("already uses") }
    let isPlan = options.mode.print
    if let previous = kubeconfig.previousUser {
      let user = previous.printable(limit: 100)
      Console.notice("the context's user \(isPlan ? "is" : "was") \(user); --remove restores it")
    }
    if isPlan { return try printCommands(commands) }
    Console.notice("kubectl will use msauth for \(shownContext)")
    try printCommands(commands)
    if !kubeconfig.hasContext {
      Console.suggest("use the new context: \(command: ["kubectl", "config", "use-context", context])")
    }
    Setup.noticeMissingLink(for: "kubectl")

    // 3. A token, as the cluster will get it.
    try await checkToken(at: kubeconfig.server, settings)
  }

  private func remove() async throws {
    let commands = try await planAndRun(hint: nil) { $0.removalCommands }.commands
    if commands.isEmpty { return noticeUnchanged("doesn't use") }
    if options.mode.print { return try printCommands(commands) }
    Console.notice("kubectl no longer uses msauth for \(shownContext)")
  }

  private var shownContext: String { context.printable(limit: 100) }

  private func noticeUnchanged(_ verb: String) {
    Console.notice("kubectl \(verb) msauth for \(shownContext); nothing was written")
  }

  private func printCommands(_ commands: [[String]]) throws {
    try Console.result(commands.map { (["kubectl"] + $0).shellCommand }.joined(separator: "\n"))
  }

  /// Plans `kubectl` commands, and runs them except with --print; returns them and the configuration before them.
  private func planAndRun(
    hint: Hint?,
    _ plan: (Kubeconfig) throws -> [[String]]
  ) async throws -> (kubeconfig: Kubeconfig, commands: [[String]]) {
    func planned() async throws -> (kubeconfig: Kubeconfig, commands: [[String]]) {
      let kubeconfig = try await kubeconfig()
      return (kubeconfig, try plan(kubeconfig))
    }
    if options.mode.print { return try await planned() }
    return try await ForeignFile(path: files[0]).locking {
      let change = try await planned()
      if change.commands.isEmpty { return change }
      try await Self.program.keepingCopies(of: files, hint: hint) {
        for command in change.commands { _ = try await kubectl(command) }
      }
      return change
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

  /// Gets a token as kubectl will, and checks that the cluster accepts it.
  private func checkToken(at server: String?, _ settings: Settings) async throws {
    if let server, server.lowercased().hasPrefix("http://") {
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
      Console.notice("the cluster didn't accept a token yet: \(error.message)")
      Console.suggest("try again: \(command: ["kubectl"] + request)")
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
      return paths.isEmpty ? [try ForeignFile.home + "/.kube/config"] : paths
    }
  }

  private static let program = ForeignProgram(name: "kubectl")

  private func kubectl(_ arguments: [String]) async throws(AuthenticationError) -> String {
    let result = try await Self.program.run(arguments)
    if result.code == 0 { return result.output }
    let ending = result.code.map { "kubectl ended with status \($0)" } ?? "a signal ended kubectl"
    let text = result.errors.printable(limit: 300)
    throw ForeignProgram.configurationError(text.isEmpty ? ending : "kubectl: \(text)")
  }
}

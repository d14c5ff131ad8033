import ArgumentParser
import FoundationEssentials
import Glibc
import MSAuth
import MSAuthDesktop
import MSAuthUnix

struct SetupKubectl: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kubectl",
    abstract: "Let kubectl get tokens for a cluster.",
    discussion: """
      With kubectl config, adds a user that runs msauth token and gives it to the context; a cluster without a context gets \
      one. Copies of the changed files are kept beside them. Most clusters outside Azure expect the ID token.

      EXAMPLES
        $ msauth setup kubectl my-cluster --id-token
        $ msauth setup kubectl my-aks --profile aks
        $ msauth setup kubectl my-cluster --remove
      """
  )

  @Argument(help: "Context or cluster in kubectl's configuration.")
  var context: String

  @Option(help: .scope) var scope: [ScopeArgument] = []

  @Flag(help: "Send the ID token instead of the access token.")
  var idToken = false

  @Flag(help: .interactive) var interactive = false

  @Flag(help: "Undo the setup.")
  var remove = false

  @Flag(help: "Print the commands that would be run, and run none.")
  var print = false

  @OptionGroup(title: "Account") var accountOption: AccountOption
  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func validate() throws {
    try refuse(["the context is empty": context.isEmpty])
  }

  func run() async throws {
    let present = try JSONValue(parsing: Array(try await kubectl("config", "view", "--output", "json").utf8))
    let commands = try remove ? removal(present) : setUp(present)
    if print { return try commands.forEach { try Console.result((["kubectl"] + $0).shellCommand) } }
    let name = context.printable(limit: 100)
    guard !commands.isEmpty else {
      return Console.notice(
        "kubectl \(remove ? "doesn't run" : "already runs") msauth for \(name); nothing was written"
      )
    }
    for path in files where access(path, F_OK) == 0 {
      do { Console.notice("the previous file is \(try keepCopy(of: path).path.printable())") } catch {
        throw Self.failure("kubectl's configuration can't be copied: \(error)")
      }
    }
    for command in commands { _ = try await kubectl(command) }
    Console.notice("kubectl \(remove ? "no longer runs" : "runs") msauth for \(name)")
    guard !remove else { return }
    let path = ProcessInfo.processInfo.environment["PATH"]
    if findProgram("msauth", path: path) == nil { Console.hint("put msauth on the PATH, where kubectl looks for it") }
    // Any user that the cluster knows may read this.
    let request = ["--context", context, "--request-timeout", "10s", "get", "--raw", "/api"]
    do {
      _ = try await kubectl(request)
      Console.notice("the cluster accepts the token")
    } catch {
      Console.notice("the cluster didn't accept a token yet: \(error.message)")
      Console.hint("try again: \(command: ["kubectl"] + request)")
    }
  }

  private var user: String { "msauth-\(context)" }

  private var words: [String] {
    var words = ["token", "--output", "exec-credential"]
    if idToken { words.append("--id-token") }
    if interactive { words.append("--interactive") }
    var settings = options.absoluteFlags
    settings["account"] = accountOption.account
    return words + scope.names.flatMap { Invocation.words("--scope", $0) }
      + Invocation.options(settings.sorted { $0.key < $1.key })
  }

  /// The calls of `kubectl` that are needed: none if it is set up.
  private func setUp(_ present: JSONValue) throws -> [[String]] {
    let old = Self.value("contexts", context, in: present)?["context"]
    if old == nil, Self.value("clusters", context, in: present) == nil {
      throw Self.failure("kubectl's configuration has no context or cluster \(context.printable(limit: 100).quoted)")
        .with(hint: "list them: \(command: ["kubectl", "config", "get-contexts"])")
    }
    let exec = Self.value("users", user, in: present)?["user"]?["exec"]
    let isRun = exec?["command"] == "msauth" && exec?["args"]?.array?.compactMap(\.string) == words
    if isRun, old?["user"]?.string == user { return [] }
    if let other = old?["user"]?.string, other != user {
      Console.notice("the context's user was \(other.printable(limit: 100))")
    }
    let cluster = old == nil ? ["--cluster=\(context)"] : []
    // v1beta1, since older versions of kubectl know no other, and can't set v1's interactive mode.
    let credentials = ["--exec-api-version=client.authentication.k8s.io/v1beta1", "--exec-command=msauth"]
    return [
      ["config", "set-credentials", user] + credentials + words.map { "--exec-arg=\(Self.field($0))" },
      ["config", "set-context", context] + cluster + ["--user=\(user)"],
    ]
  }

  private func removal(_ present: JSONValue) -> [[String]] {
    guard Self.value("users", user, in: present) != nil else { return [] }
    let isUsed = Self.value("contexts", context, in: present)?["context"]?["user"]?.string == user
    return (isUsed ? [["config", "set-context", context, "--user="]] : []) + [["config", "delete-user", user]]
  }

  /// A field of CSV, as which kubectl parses an argument of the command.
  private static func field(_ word: String) -> String {
    guard word.utf8.contains(where: ",\"".utf8.contains) else { return word }
    return "\"\(word.replacing("\"", with: "\"\""))\""
  }

  private static func value(_ list: String, _ name: String, in configuration: JSONValue) -> JSONValue? {
    configuration[list]?.array?.first { $0["name"]?.string == name }
  }

  private var files: [String] {
    let environment = ProcessInfo.processInfo.environment
    if let paths = environment["KUBECONFIG"], !paths.isEmpty { return paths.split(at: ":").filter { !$0.isEmpty } }
    return ["\(environment["HOME"] ?? "~")/.kube/config"]
  }

  private func kubectl(_ arguments: String...) async throws(AuthenticationError) -> String {
    try await kubectl(arguments)
  }

  private func kubectl(_ arguments: [String]) async throws(AuthenticationError) -> String {
    guard
      let result = await runProgram(
        "kubectl",
        arguments,
        outputLimit: 4 << 20,
        environment: ProcessInfo.processInfo.environment
      )
    else {
      throw Self.failure("there is no kubectl on the PATH").with(hint: "install kubectl")
    }
    guard result.code != 0 else { return result.output }
    throw Self.failure("kubectl: \(result.errors.printable(limit: 300))")
  }

  private static func failure(_ message: String) -> AuthenticationError {
    AuthenticationError(.invalidConfiguration, message, reason: "program_configuration")
  }
}

import ArgumentParser
import Glibc
import MSAuth
import MSAuthPreferences
import MSAuthUnix
import Synchronization

/// `main` isn't async, because the main thread waits for signals.
@main
enum Main {
  static func main() {
    Hardening.apply()
    Interruption.begin()
    let thread: SerialThread
    do {
      try Hardening.requireDescriptors()
      thread = try SerialThread.start()
    } catch {
      finish(CommandFailure(reporting: error))
    }
    let work = Task.detached(executorPreference: thread) {
      let failure = await run()
      await CancellationShield.waitUntilDown()
      finish(failure)
    }
    Interruption.wait {
      work.cancel()
    } onDelay: {
      Console.message("finishing a request; this can take half a minute")
    }
    // The command didn't end in time. If stdout is blocked, writing JSON would block this thread too.
    finish(Console.stdoutIsWritable ? interrupted : CommandFailure())
  }

  private static let isFinishing = Atomic(false)
  private static let interrupted = CommandFailure(AuthenticationError(.canceled, "the command was interrupted"))

  private static func finish(_ failure: CommandFailure?) -> Never {
    // After a signal, two threads may end the process; the first may be blocked by output that isn't read.
    if isFinishing.exchange(true, ordering: .relaxed) {
      usleep(500_000)
      _exit(Interruption.status ?? ExitStatus.failed.rawValue)
    }
    Terminal.restoreInput()
    var status = Interruption.status ?? failure?.status.rawValue ?? ExitStatus.done.rawValue
    if failure != nil, let line = failureResult, Console.stdoutIsWritable { try? Console.result(line) }
    if let failure, let error = failure.error, Invocation.requestsJSON {
      let output = failure.output ?? JSONResult([:])
      if (try? output.print(error: error.json(exit: status))) == nil {
        status = Interruption.status ?? ExitStatus.failed.rawValue
      }
    }
    // Not exit(3): other threads may still use what it destroys.
    _exit(status)
  }

  private static func run() async -> CommandFailure? {
    defer { StatusLine.end() }
    // A String can't hold an argument that isn't UTF-8.
    if let flaw = ProcessArguments.invalid {
      let message = "\(flaw.printable(limit: 100)): the argument isn't UTF-8"
      return CommandFailure(reporting: .usage(message, hint: "rename the file, or pass a link with a UTF-8 name"))
    }
    do {
      if let standIn = StandIn.current {
        try await standIn.run()
        return nil
      }
      let arguments = arguments
      if arguments.count == 2, arguments[0] == "help", let text = HelpText.topic(arguments[1]) {
        try Console.result(text)
        return nil
      }
      var command = try parsedWithoutOthers() ?? MSAuthCommand.parseAsRoot(arguments)
      if let command = command as? any ReportingCommand { Console.messages = command.options.messages }
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
      return nil
    } catch let failure as CommandFailure {
      return failure
    } catch var error as AuthenticationError {
      // The default hint refers to the command's help, which describes variables but not the configuration file.
      if error.code == .invalidConfiguration, error.reason == "configuration_file", error.specificHint == nil,
        !error.message.hasPrefix(ConfigurationKey.variablePrefix)
      {
        let command = Invocation.msauth("config", "validate", keeping: ["--config"])
        error.hint = "check the whole file: \(command: command)"
      }
      return CommandFailure(reporting: error)
    } catch is CancellationError {
      return interrupted
    } catch {
      return handleParserError(error)
    }
  }

  /// The arguments, with `login --help` rewritten as `help login`: the parser reports a wrong value before it prints help.
  private static var arguments: [String] {
    let given = Invocation.arguments
    guard given.contains("--help") || given.contains("-h") else { return Array(ProcessArguments.all.dropFirst()) }
    let named = given[Invocation.commandIndex...].drop { $0 == "help" || $0.hasPrefix("-") }
    return ["help"] + named.prefix { !$0.hasPrefix("-") }
  }

  /// Parses only the command that the first words name.
  ///
  /// Parsing all commands makes a cached token 6% slower: less than 25 times as fast as MSAL Python (Tests/benchmark).
  private static func parsedWithoutOthers() -> (any ParsableCommand)? {
    let arguments = ProcessArguments.all.dropFirst()
    let (words, command) = Invocation.command(in: arguments)
    guard command.configuration.subcommands.isEmpty else { return nil }
    // --help parses as the parser's own command, which isn't async; its usage names "msauth" only if all are parsed.
    return (try? command.parseAsRoot(Array(arguments.dropFirst(words.count)))) as? any AsyncParsableCommand
  }

  /// Reports wrong usage, or prints the help or the version, which the parser throws too.
  private static func handleParserError(_ error: any Error) -> CommandFailure? {
    if let (name, nearest) = Invocation.unknownCommand {
      let hint: Hint = nearest.map { "did you mean \"\($0)\"?" } ?? "see \(command: Invocation.helpCommand)"
      return CommandFailure(reporting: .usage("unknown command \"\(name.printable(limit: 40))\"", hint: hint))
    }
    guard MSAuthCommand.exitCode(for: error) == .success else {
      return CommandFailure(reporting: AuthenticationError(parserError: error))
    }
    let text = CompletionShell.completingHelp(in: MSAuthCommand.fullMessage(for: error))
    let isPrinted = (try? Console.result(HelpText(text).arranged())) != nil
    return isPrinted ? nil : CommandFailure()
  }

  private static var failureResult: String? {
    (Invocation.commandType as? any ReportingCommand.Type)?.failureResult
  }
}

import ArgumentParser
import Core
import Glibc
import MSAuth
import Synchronization
import Unix

@main
enum Main {
  /// Parses, runs, and turns whatever stopped it into a message and the documented exit code.
  ///
  /// It is not async: the runtime would have opened descriptors of its own before the first line.
  static func main() {
    Hardening.apply()
    Allocation.shareHeap()
    let arguments = Array(CommandLine.arguments.dropFirst())
    Interruption.begin()
    // The main thread waits for signals.
    guard let thread = SerialThread.start() else {
      Console.failure("the system has no thread to give; try again when fewer programs run")
      exit(ExitStatus.failed.rawValue)
    }
    let work = Task.detached(executorPreference: thread) {
      let ending = await run(arguments)
      await CancellationShield.waitUntilDown()
      finish(ending, arguments)
    }
    Interruption.wait { work.cancel() }
    // The command takes longer to end than anybody waits for it. What stdout does not take at once it never may.
    finish(Console.takesResult ? interrupted : Ending(status: .failed), arguments)
  }

  /// Ends the process; who comes second waits for that.
  private static func finish(_ ending: Ending, _ arguments: [String]) -> Never {
    if isFinishing.exchange(true, ordering: .relaxed) { while true { pause() } }
    Terminal.restoreInput()
    var status = Interruption.status ?? ending.status.rawValue
    if let error = ending.error, wantsJSON(arguments) {
      // The exit code is known now, and a failure is an object too.
      let output = ending.output ?? Output(nil)
      if (try? output.print(error: ErrorOutput(error, exit: status))) == nil {
        status = Interruption.status ?? ExitStatus.failed.rawValue
      }
    }
    // A thread that did not heed the interruption would still be at work in what exit(3) takes down.
    if Interruption.status != nil { _exit(status) }
    exit(status)
  }

  private static let isFinishing = Atomic(false)

  /// How a command ended.
  private struct Ending: Sendable {
    var status: ExitStatus
    /// Why, where there is more to say than that; it was reported on stderr.
    var error: AuthenticationError?
    /// What `--json` prints with the failure.
    var output: Output?
  }

  private static var interrupted: Ending {
    Ending(status: .failed, error: AuthenticationError(.canceled, "the command was interrupted"))
  }

  private static func run(_ arguments: [String]) async -> Ending {
    defer { StatusLine.end() }
    // Once decoded, such a path would mean another file.
    if let flaw = CommandLineEncoding.firstFlaw() {
      return wrongUsage(
        "\(flaw.printable(limit: 100)): the argument is not UTF-8",
        hint: "name the file in UTF-8, or by a link that has such a name"
      )
    }
    do {
      if var command = named(arguments) {
        try await command.run()
      } else {
        try await runParsed(arguments)
      }
      return Ending(status: .done)
    } catch let failure as CommandFailure {
      return Ending(status: failure.status, error: failure.error, output: failure.output)
    } catch let error as AuthenticationError {
      Console.error(error)
      return Ending(status: ExitStatus(of: error), error: error)
    } catch is CancellationError {
      return interrupted
    } catch {
      // Wrong usage, and help, come this way.
      return answerUnparsed(error, arguments)
    }
  }

  /// The command that the first word names, parsed without the others.
  ///
  /// ArgumentParser reflects over the options of the whole tree below the type that it parses, which takes most of a
  /// start's instructions. Help and errors mention the tree: they, and what else this parse does not accept, come from
  /// parsing all of it.
  private static func named(_ arguments: [String]) -> (any AsyncParsableCommand)? {
    guard let name = arguments.first,
      let type = MSAuthCommand.verbs.first(where: { $0.configuration.isNamed(name) })
    else { return nil }
    return parsed(type, Array(arguments.dropFirst()))
  }

  /// Help is a command of ArgumentParser's own, and says "msauth" only of the whole tree.
  private static func parsed<Command: AsyncParsableCommand>(
    _ type: Command.Type,
    _ arguments: [String]
  ) -> (any AsyncParsableCommand)? {
    // What it is asked for is known: whether a type is async, the runtime would search in all that are linked in.
    (try? type.parseAsRoot(arguments)) as? Command
  }

  private static func runParsed(_ arguments: [String]) async throws {
    var command = try MSAuthCommand.parseAsRoot(arguments)
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
  }

  private static func answerUnparsed(_ error: any Error, _ arguments: [String]) -> Ending {
    // ArgumentParser shows the general help for `help nope`.
    if let (name, names) = unknownCommand(in: arguments) {
      let meant = nearest(to: name, in: names)
      return wrongUsage(
        "there is no command '\(name.printable(limit: 40))'",
        hint: meant.map { "did you mean '\($0)'?" } ?? "see msauth --help"
      )
    }
    guard MSAuthCommand.exitCode(for: error) != .success else {
      return Ending(status: (try? Console.result(MSAuthCommand.fullMessage(for: error))) == nil ? .failed : .done)
    }
    let message = MSAuthCommand.message(for: error).startingLowercase
    if let first = arguments.first, first.utf8.first == UInt8(ascii: "-"), first != "--",
      let place = arguments.firstIndex(where: commandNames.contains)
    {
      let options = arguments[..<place].joined(separator: " ").printable(limit: 100)
      return wrongUsage(message, hint: "put it after the command: msauth \(arguments[place]) \(options)")
    }
    // ArgumentParser knows which command's help it is: "See 'msauth login --help' for more information."
    let help = MSAuthCommand.fullMessage(for: error).split(separator: "'").first { $0.hasSuffix(" --help") }
    // ArgumentParser gives each value that an option can have a line.
    if let end = message.firstRange(of: ". Please provide one of the following:\n") {
      let values = message[end.upperBound...].split(separator: "\n").map { $0.drop { " -".contains($0) } }
      return wrongUsage(String(message[..<end.lowerBound]), hint: "it is one of \(values.joined(separator: ", "))")
    }
    return wrongUsage(message, hint: "see \(help ?? "msauth --help")")
  }

  private static func wrongUsage(_ message: String, hint: String) -> Ending {
    // It names what was typed.
    let message = message.printable(limit: 2000)
    Console.failure(message)
    Console.hint(hint)
    let error = AuthenticationError(.invalidParameter, message, reason: "usage", hint: Hint(hint))
    return Ending(status: .usage, error: error)
  }

  /// The words that name a command.
  private static var commandNames: [String] {
    MSAuthCommand.configuration.subcommands.flatMap { [$0._commandName] + $0.configuration.aliases } + ["help"]
  }

  /// The words that stand for a command, alone or after `help`, and are none; and those that could stand there.
  private static func unknownCommand(in arguments: [String]) -> (words: String, known: [String])? {
    let words = (arguments.first == "help" ? arguments.dropFirst() : arguments[...]).prefix { !$0.hasPrefix("-") }
    guard let first = words.first else { return nil }
    guard commandNames.contains(first) else { return (first, commandNames) }
    let command = MSAuthCommand.configuration.subcommands.first { $0.configuration.isNamed(first) }
    let inner = command?.configuration.subcommands ?? []
    guard !inner.isEmpty, let second = words.dropFirst().first,
      !inner.contains(where: { $0.configuration.isNamed(second) })
    else { return nil }
    return ("\(first) \(second)", inner.map { "\(first) \($0._commandName)" })
  }

  /// Whether the result is one JSON object, also where the arguments are wrong otherwise.
  private static func wantsJSON(_ arguments: [String]) -> Bool {
    // These have no result of their own.
    let silent = [Exec.configuration.commandName, GitCredential.configuration.commandName]
    if silent.contains(arguments.first) { return false }
    let words = arguments.prefix { $0 != "--" }
    return words.contains("--json") || words.contains("--output=json")
      || zip(words, words.dropFirst()).contains { $0 == "--output" && $1 == "json" }
  }
}

extension CommandConfiguration {
  /// Whether that word names the command.
  func isNamed(_ word: String) -> Bool { commandName == word || aliases.contains(word) }
}

import ArgumentParser
import Core
import Dispatch
import Glibc
import MSAuth
import Unix

@main
enum Main {
  /// Parses, runs, and turns whatever stopped it into a message and the documented exit code.
  ///
  /// It is not async: the runtime would have opened descriptors of its own before the first line.
  static func main() {
    Hardening.apply()
    let work = Task { await run(Array(CommandLine.arguments.dropFirst())) }
    let interruption = Interruption { work.cancel() }
    Task {
      let status = await work.value
      exit(interruption.status ?? status.rawValue)
    }
    dispatchMain()
  }

  private static func run(_ arguments: [String]) async -> ExitStatus {
    // Once decoded, such a path would mean another file.
    if let flaw = CommandLineEncoding.firstFlaw() {
      Console.say("\(flaw.printable(limit: 100)): the argument is not UTF-8")
      Console.hint("name the file in UTF-8, or by a link that has such a name")
      return .usage
    }
    let command: any ParsableCommand
    do {
      command = try MSAuthCommand.parseAsRoot(arguments)
    } catch {
      return answerUnparsed(error)
    }
    do {
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        var command = command
        try command.run()
      }
      return .done
    } catch let status as ExitStatus {
      return status
    } catch let error as AuthenticationError {
      Console.error(error)
      return ExitStatus(of: error)
    } catch {
      // Help for a command without a verb, and a verb's own validation, come this way.
      return answerUnparsed(error)
    }
  }

  private static func answerUnparsed(_ error: any Error) -> ExitStatus {
    guard MSAuthCommand.exitCode(for: error) != .success else {
      return (try? Console.result(MSAuthCommand.fullMessage(for: error))) == nil ? .failed : .done
    }
    Console.say(Console.lowerCased(MSAuthCommand.message(for: error)))
    // ArgumentParser knows which command's help it is: "See 'msauth login --help' for more information."
    let help = MSAuthCommand.fullMessage(for: error).split(separator: "'").first { $0.hasSuffix(" --help") }
    Console.hint("see \(help ?? "msauth --help")")
    return .usage
  }
}

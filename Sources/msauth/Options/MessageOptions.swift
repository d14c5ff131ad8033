import ArgumentParser

/// Options that choose which messages are printed.
protocol MessageOptions: ParsableArguments {
  var messages: Console.Messages { get }
}

/// A command whose options choose which messages it prints.
protocol ReportingCommand: AsyncParsableCommand {
  associatedtype Options: MessageOptions
  var options: Options { get }
  /// A line for standard output if the command fails, even if its arguments are wrong.
  static var failureResult: String? { get }
}

extension ReportingCommand { static var failureResult: String? { nil } }

/// `-q`, alone in commands that have no details to print.
struct QuietOption: MessageOptions {
  @Flag(name: .shortAndLong, help: "Print only errors and prompts.")
  var quiet = false

  var messages: Console.Messages { quiet ? .necessary : .all }
}

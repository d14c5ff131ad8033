import ArgumentParser

/// A command whose options choose which messages it prints.
protocol ReportingCommand: AsyncParsableCommand {
  associatedtype Options: MessageOptions
  var options: Options { get }
  /// A line for standard output if the command fails, even if its arguments are wrong.
  static var failureResult: String? { get }
}

extension ReportingCommand { static var failureResult: String? { nil } }

import ArgumentParser

/// Options that choose which messages are printed.
protocol MessageOptions: ParsableArguments {
  var messages: Console.Messages { get }
}

/// A command whose options choose which messages it prints.
protocol ReportingCommand: AsyncParsableCommand {
  associatedtype Options: MessageOptions
  var options: Options { get }
}

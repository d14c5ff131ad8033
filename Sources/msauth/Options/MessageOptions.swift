import ArgumentParser

/// Options that choose which messages are printed.
protocol MessageOptions: ParsableArguments {
  var messages: Console.Messages { get }
}

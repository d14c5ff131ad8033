import ArgumentParser

/// `-q`, alone in commands that have no details to print.
struct QuietOption: MessageOptions {
  @Flag(name: .shortAndLong, help: "Print only errors and prompts.")
  var quiet = false

  var messages: Console.Messages { quiet ? .necessary : .all }
}

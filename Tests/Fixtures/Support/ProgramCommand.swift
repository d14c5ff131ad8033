/// A command as `msauth` describes it.
package struct ProgramCommand: Sendable, CustomStringConvertible {
  /// The subcommand's words.
  package let words: [String]
  /// Long options, including hidden ones.
  package let options: Set<String>

  package var description: String { words.joined(separator: " ") }

  /// All commands but `help`, outer ones first.
  package static var all: [ProgramCommand] { get async throws { try await listed.value } }

  private static let listed = Task {
    let dump = try await CommandRunner().run("--experimental-dump-help").json
    return subcommands(of: dump["command"], []).filter { $0.words != ["help"] }
  }

  private static func subcommands(of command: JSONValue?, _ path: [String]) -> [ProgramCommand] {
    (command?["subcommands"]?.array ?? []).flatMap { command in
      let words = path + [command["commandName"]?.string ?? ""]
      let names = (command["arguments"]?.array ?? []).flatMap { $0["names"]?.array ?? [] }
      let options = names.filter { $0["kind"] == "long" }.compactMap { $0["name"]?.string }
      return [ProgramCommand(words: words, options: Set(options.map { "--" + $0 }))] + subcommands(of: command, words)
    }
  }
}

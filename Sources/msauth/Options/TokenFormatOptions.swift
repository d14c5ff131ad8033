import ArgumentParser

/// How a token is printed.
protocol TokenFormat: ChoiceArgument {
  static var token: Self { get }
  static var json: Self { get }
}

/// A token's format; --json means --output json.
struct TokenFormatOptions<Format: TokenFormat>: ParsableArguments {
  @Option(name: .shortAndLong, help: .value("format", "Output format, see above. Default: token."))
  var output: Format?

  @Flag(help: .json) var json = false

  var format: Format { output ?? (json ? .json : .token) }

  func validate() throws {
    try reject(together: ["--json": json, "--output \(format.rawValue)": format != .json])
  }
}

import Glibc
import MSAuth
import MSAuthUnix

/// Questions to the user on stderr, with answers from stdin.
enum Questions {
  /// The kernel's terminals accept lines of 4,095 bytes.
  private static let maximumLength = 4096

  static var canBeAsked: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  private static let noInput = "there was no input at the prompt; nothing was changed"

  private static func cancel(_ message: String) throws(CommandFailure) -> Never {
    Console.message(message)
    throw CommandFailure(AuthenticationError(.userCanceled, message))
  }

  static func explain(_ lines: String) { Console.write(wrapped(lines) + "\n") }

  /// Wraps each line below the start of its last column.
  private static func wrapped(_ lines: String) -> String {
    guard let columns = Terminal.stderrColumns else { return lines }
    let wrapped = lines.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let start = line.matches(of: #/ {2,}(?:\d\. |- )?/#).last?.range.upperBound ?? line.startIndex
      let indentation = min(columns / 2, line.distance(from: line.startIndex, to: start))
      return Terminal.wrapped(String(line), at: columns, indentation: indentation, isFirstIndented: false)
    }
    return wrapped.joined(separator: "\n")
  }

  static func ask(_ question: String, default: String? = nil) async throws -> String {
    while true {
      let prompt = question + (`default`.map { " [\($0)]" } ?? "")
      if let answer = try await answer(to: prompt) ?? `default` { return answer }
      explain("Enter a value.")
    }
  }

  /// Returns the answer without the spaces around it; `nil` for an empty line.
  private static func answer(to prompt: String) async throws -> String? {
    Console.write(wrapped(prompt + ":") + " ")
    let input = await BackgroundThread.runAbandoning { readLine() }
    if input == nil || input == .some(nil) { explain("") }
    guard let input else { throw AuthenticationError.canceled }
    guard let line = input else { try cancel(noInput) }
    let answer = String(decoding: line.trimming(" \t\r"), as: UTF8.self)
    return answer.isEmpty ? nil : answer
  }

  static func choose(_ question: String, of names: [String]) async throws -> Int {
    for (index, name) in names.enumerated() { explain("\(index + 1)) \(name)") }
    while true {
      let answer =
        names.count == 1 ? try await ask(question, default: "1") : try await ask("\(question), 1 to \(names.count)")
      if let number = Int(answer), names.indices.contains(number - 1) { return number - 1 }
      explain("Enter a number from 1 to \(names.count).")
    }
  }

  /// Reads a secret from standard input, hidden at a terminal.
  static func askSecret(_ name: String) async throws -> String {
    let isAtTerminal = Terminal.hideInput()
    if isAtTerminal { Console.write("\(name) (not shown): ") }
    let input = await BackgroundThread.runAbandoning { readLine() }
    Terminal.restoreInput()
    // The line end was hidden too.
    if isAtTerminal { explain("") }
    guard let input else { throw AuthenticationError.canceled }
    var line = input ?? []
    // Windows ends lines with CR LF.
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.isEmpty else {
      if isAtTerminal { try cancel(noInput) }
      throw AuthenticationError(.userCanceled, "there is no \(name) on standard input; nothing was written")
    }
    guard line.count <= maximumLength, let secret = String(validating: line, as: UTF8.self) else {
      let flaw = line.count > maximumLength ? "has more than \(maximumLength) bytes" : "isn't UTF-8"
      throw AuthenticationError.usage("the \(name) on standard input \(flaw)")
    }
    return secret
  }

  enum Decision {
    case yes, no
    /// What the user entered instead, such as a corrected value.
    case other(String)
  }

  static func decide(_ question: String, default: Bool) async throws -> Decision {
    guard let answer = try await answer(to: "\(question) [\(`default` ? "Y/n" : "y/N")]") else {
      return `default` ? .yes : .no
    }
    return switch answer.lowercased() {
    case "y", "yes": .yes
    case "n", "no": .no
    default: .other(answer)
    }
  }

  static func confirm(_ question: String, default: Bool) async throws -> Bool {
    while true {
      switch try await decide(question, default: `default`) {
      case .yes: return true
      case .no: return false
      case .other: explain("Enter y or n.")
      }
    }
  }

  /// Ends the command unless the user agrees; throws the error if the user can't be prompted.
  static func require(
    _ question: String,
    default: Bool = false,
    ifDeclined message: String,
    unprompted error: AuthenticationError? = nil
  ) async throws {
    if let error, !canBeAsked { throw error }
    guard try await confirm(question, default: `default`) else { try cancel(message) }
  }

  /// Reads a line, cut off beyond the maximum; `nil` at the end of the input.
  private static func readLine() -> [UInt8]? {
    var line: [UInt8] = []
    // A line end has up to two bytes.
    while line.count < maximumLength + 2 {
      guard let byte = readStandardInput(maximum: 1).first else { return line.isEmpty ? nil : line }
      if byte == UInt8(ascii: "\n") { break }
      line.append(byte)
    }
    return line
  }
}

import Core
import Glibc
import MSAuth
import Unix

/// Questions to the person at the terminal; they go to stderr, the answers come from stdin.
enum Questions {
  /// An answer is a line; the kernel's terminals take up to 4095 bytes.
  private static let maximumLength = 4096

  /// Whether somebody can be asked.
  static var canBeAsked: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Writes lines that explain a question.
  static func explain(_ lines: String) {
    _ = Console.write(Array((lines + "\n").utf8), to: STDERR_FILENO)
  }

  /// Asks a question.
  static func ask(_ question: String, usual: String? = nil) async throws -> String {
    while true {
      let prompt = question + (usual.map { " [\($0)]" } ?? "") + ": "
      _ = Console.write(Array(prompt.utf8), to: STDERR_FILENO)
      guard let line = await BackgroundThread.runAbandoning({ readLine() }) ?? nil else {
        explain("")
        throw CommandFailure.unanswered
      }
      let answer = String(String(decoding: line, as: UTF8.self).trimmingBlanks)
      if !answer.isEmpty { return answer }
      if let usual { return usual }
    }
  }

  /// Asks for the number of one of several, until one is given.
  static func choose(_ question: String, of names: [String]) async throws -> Int {
    for (index, name) in names.enumerated() { explain("\(index + 1)) \(name)") }
    while true {
      let answer = try await ask("\(question), 1 to \(names.count)")
      if let number = Int(answer), names.indices.contains(number - 1) { return number - 1 }
      explain("Please answer a number from 1 to \(names.count).")
    }
  }

  /// Asks for a secret: at a terminal without showing what is typed, else from standard input.
  static func askSecret(_ name: String) async throws -> String {
    let isAtTerminal = Terminal.hideInput()
    if isAtTerminal { _ = Console.write(Array("\(name) (not shown): ".utf8), to: STDERR_FILENO) }
    defer {
      if isAtTerminal {
        Terminal.restoreInput()
        explain("")
      }
    }
    guard let input = await BackgroundThread.runAbandoning({ readLine() }) else { throw CommandFailure.unanswered }
    var line = input ?? []
    // The rest of an end as Windows writes it.
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.isEmpty else {
      if isAtTerminal { throw CommandFailure.unanswered }
      throw AuthenticationError(.userCanceled, "there is no \(name) on standard input; nothing was written")
    }
    guard line.count <= maximumLength, let secret = String(validating: line, as: UTF8.self) else {
      let flaw = line.count > maximumLength ? "has more than \(maximumLength) bytes" : "is not UTF-8"
      throw AuthenticationError(.invalidParameter, "the \(name) on standard input \(flaw)", reason: "option_invalid")
    }
    return secret
  }

  /// Asks a question that is answered by yes or no.
  static func confirm(_ question: String, usual: Bool) async throws -> Bool {
    while true {
      switch try await ask(question, usual: usual ? "Y/n" : "y/N").lowercased() {
      case "y", "yes": return true
      case "n", "no": return false
      case "y/n": return usual
      default: explain("Please answer y or n.")
      }
    }
  }

  /// A line of stdin, without its end, and one that is too long cut off beyond the maximum; nil at the end of the input.
  private static func readLine() -> [UInt8]? {
    var line: [UInt8] = []
    // With the end of the line, which may have two bytes.
    while line.count < maximumLength + 2 {
      guard let byte = readInput(maximum: 1).first else { return line.isEmpty ? nil : line }
      if byte == UInt8(ascii: "\n") { break }
      line.append(byte)
    }
    return line
  }
}

extension String {
  fileprivate var trimmingBlanks: Substring {
    let blanks: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    var rest = self[...].drop(while: blanks)
    while let last = rest.last, blanks(last) { rest.removeLast() }
    return rest
  }
}

import ArgumentParser
import TestSupport
import Testing

@testable import msauth

@Suite("ArgumentParser's messages")
struct ParserMessageTests {
  private static func message(_ arguments: [String]) throws -> String {
    let (words, command) = Invocation.command(in: arguments)
    let error = try #require(throws: (any Error).self) {
      try command.parseAsRoot(Array(arguments.dropFirst(words.count)))
    }
    return command.message(for: error)
  }

  @Test(
    "an unknown option is found in each form of its message",
    arguments: [
      (["graph", "me", "-X"], "-X"), (["token", "--scop", "a"], "--scop"), (["serve", "--port=1"], "--port"),
      (["token", "--it's"], "--it's"), (["token", "--min-validity", "x"], nil), (["token", "--scope"], nil),
    ] as [([String], String?)]
  )
  func unknownOption(arguments: [String], option: String?) throws {
    let message = try Self.message(arguments)
    let found: String? = if case .unknownOption(let name, _)? = ParserMessage(message).mistake { name } else { nil }
    #expect(found == option, "\(message)")
    #expect(message.hasPrefix("Unknown option '\(option ?? "")'") == (option != nil), "\(message)")
  }

  @Test(
    "an invalid value has the words of msauth's own messages",
    arguments: ["x", "'", "a b"]
  )
  func invalidValue(_ value: String) throws {
    let message = ParserMessage(try Self.message(["exec", "--fd", value, "--", "true"]))
    #expect(message.text == "\"\(value)\" isn't valid" && message.mistake == .invalidValue(option: "--fd"))
  }

  @Test(
    "a suggestion stays only if it is similar to what was typed",
    arguments: [(["token", "--scop", "a"], true), (["serve", "--port=1"], false)]
  )
  func suggestion(arguments: [String], isKept: Bool) throws {
    let message = try Self.message(arguments)
    #expect(message.contains("'. Did you mean '--"), "\(message)")
    let parsed = ParserMessage(message)
    guard case .unknownOption(_, let similar)? = parsed.mistake else { throw TestFailure(message) }
    #expect((similar != nil) == isKept && parsed.text.hasPrefix("unknown option \""), "\(parsed)")
  }
}

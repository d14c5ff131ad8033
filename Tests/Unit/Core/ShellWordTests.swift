import TestSupport
import Testing

@Suite("words of commands", .needsCounterparts)
struct ShellWordTests {
  private static let words = [
    "ada@contoso.com", "", "a b", "it's", #"a\"#, #"; touch FLAG; '"#, #"\'; touch FLAG; '"#, "$(touch FLAG)",
    "`touch FLAG`",
    "x;touch$IFS/FLAG", "a|b&c>FLAG", "*", "?", "[a]", "{a,b}", "~", "~root", "=ls", "%self", "#a", "!!", "^a^b",
    "$HOME", "a\"b", #"\\"#, "-x", "ünï", "a=~", "''", #"'\"#, "%s",
  ]

  @Test("every shell takes a rendered command's words as they are", arguments: ["bash", "dash", "zsh", "fish"])
  func shells(shell: String) async throws {
    let runner = try CommandRunner()
    let hint: Hint = "run \(command: ["printf", "<%s>\\n"] + Self.words)"
    let outcome = try await runner.run(program: [shell, "-c", String(hint.description.dropFirst("run ".count))])
    #expect(outcome.stdout == Self.words.map { "<\($0)>\n" }.joined(), "\(outcome)")
    #expect(runner.home.files(below: ".").filter { $0.contains("FLAG") }.isEmpty)
  }

  @Test("a value in a hint begins no step and no command")
  func steps() {
    let hostile = "x; run: msauth logout"
    let hint: Hint = "\(hostile) stays; use \(command: ["--account", hostile])"
    #expect(hint.parts == [.text("\(hostile) stays"), .next, .text("use "), .command(["--account", hostile])])
    #expect(hint.description == "\(hostile) stays; use --account '\(hostile)'")
  }
}

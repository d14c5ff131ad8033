import MSAuthCore
import Testing

@testable import MSAuthUnix

@Suite("what can be done about a file")
struct FileErrorTests {
  @Test(
    "a file of somebody else's: its owner takes it back, and root does not take it away",
    arguments: [
      (1000, 0, "chown /x back to yourself; a program run with sudo may have created it" as Hint),
      (0, 4711, .withoutSudo(as: "4711")),
      (0, 1, .withoutSudo(as: "daemon")),
    ]
  )
  func foreignOwner(user: UInt32, owner: UInt32, hint: Hint) {
    #expect(FileError(.foreignOwner(owner), "/x").hint(for: user) == hint)
  }
}

import Core
import Testing

@testable import Unix

@Suite("what can be done about a file")
struct FileErrorTests {
  @Test(
    "a file of somebody else's: its owner takes it back, and root does not take it away",
    arguments: [
      (1000, 0, Remedy.takeOwnership(path: "/x")), (0, 4711, .runWithoutSudo(user: "4711")),
      (0, 1, .runWithoutSudo(user: "daemon")),
    ]
  )
  func foreignOwner(user: UInt32, owner: UInt32, remedy: Remedy) {
    #expect(FileError(.foreignOwner(owner), "/x").remedy(for: user) == remedy)
  }
}

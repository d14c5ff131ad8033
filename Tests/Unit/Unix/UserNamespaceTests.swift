import Testing

@testable import MSAuthUnix

@Suite("user namespaces")
struct UserNamespaceTests {
  @Test(
    "the namespace is initial if it maps all users to themselves, or if the kernel doesn't report it",
    arguments: [
      ("         0          0 4294967295\n", true), ("         0       1000          1\n", false),
      ("         0          0          1\n", false), ("", true),
    ]
  )
  func initial(map: String, isInitial: Bool) {
    #expect(UserNamespace.isInitial(uidMap: Array(map.utf8)) == isInitial)
  }
}

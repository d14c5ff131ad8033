import MSAuthUnix
import Testing

@Suite("The user namespace")
struct UserNamespaceTests {
  @Test(
    "it is the initial one if it maps all users to themselves, and where the kernel does not say",
    arguments: [
      ("         0          0 4294967295\n", true), ("         0       1000          1\n", false),
      ("         0          0          1\n", false), ("", true),
    ]
  )
  func initial(map: String, isInitial: Bool) {
    #expect(UserNamespace.isInitial(uidMap: Array(map.utf8)) == isInitial)
  }
}

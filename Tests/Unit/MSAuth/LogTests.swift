import Synchronization
import Testing

@testable import MSAuth

@Suite("the log")
struct LogTests {
  private static let line: LogText = "asked \(organization: "contoso.example") for \(user: "ada") in \(12) ms"

  @Test(
    "personal and organizational identifiers are masked by default",
    arguments: [
      (.usersAndOrganizations, "asked [organization] for [user] in 12 ms", false),
      (.users, "asked contoso.example for [user] in 12 ms", true),
      (.secretsOnly, "asked contoso.example for ada in 12 ms", true),
    ] as [(LogMasking, String, Bool)]
  )
  func masking(masking: LogMasking, text: String, isPersonal: Bool) {
    let masked = Self.line.masked(masking)
    #expect(masked.text == text && masked.containsPersonalData == isPersonal)
  }

  @Test("a line without identifiers is marked as such with every masking")
  func withoutIdentifiers() {
    #expect(("done in \(1) ms" as LogText).masked(.secretsOnly).containsPersonalData == false)
  }

  @Test("entries are filtered by level and masked by default")
  func levels() {
    let lines = Mutex<[String]>([])
    var configuration = ClientConfiguration(clientID: "app", environment: [:])
    configuration.log = { entry in lines.withLock { $0.append(entry.message) } }
    configuration.logLevel = .info
    for level in [LogEntry.Level.error, .warning, .info, .verbose] {
      configuration.log(level, "\(level.rawValue) \(user: "ada")")
    }
    #expect(lines.withLock(\.self) == ["-1 [user]", "0 [user]", "1 [user]"])
  }

  @Test("a provider's control characters are removed")
  func printable() {
    #expect(("a\(organization: "b\u{1b}[2J\n")" as LogText).masked(.secretsOnly).text == "ab[2J ")
  }
}

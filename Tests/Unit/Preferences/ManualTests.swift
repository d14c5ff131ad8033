import TestSupport
import Testing

@testable import MSAuthPreferences

@Suite("manual pages")
struct ManualTests {
  private func manual(_ name: String) throws -> String { try page("Sources/packaging/manual/" + name) }

  private func page(_ path: String) throws -> String {
    try String(contentsOf: BuiltProducts.root.appending(path: path), encoding: .utf8)
  }

  @Test("msauth-config(5) describes every key")
  func keysInManual() throws {
    let described = try manual("msauth-config.5").matches(of: /(?m)^\.It Ic (\w+)(?: Bq Ev (\w+))?$/).map(\.output)
    #expect(described.map { String($0.1) }.sorted() == (ConfigurationKey.names + ["profiles"]).sorted())
    for (_, name, variable) in described where name != "profiles" {
      #expect(try ConfigurationKey(String(name)).variable == variable.map(String.init), "\(name)")
    }
  }

  @Test("msauth(1) names every variable")
  func variablesInManual() throws {
    let page = try manual("msauth.mdoc")
    let named = Set(page.split { !$0.isLetter && $0 != "_" }.map(String.init).filter { $0.hasPrefix("MSAUTH_") })
    let others = ["MSAUTH_SERVE_PID", "MSAUTH_TOKEN_FILE"]
    #expect(named == Set(ConfigurationKey.all.compactMap(\.variable) + others))
  }

  @Test("msauth(1) and README list every exit status, in the words of the help")
  func exitStatuses() throws {
    let statuses = ExitStatus.common.map { "\($0.rawValue) \($0.meaning)" }
    let listed = try manual("msauth.mdoc").matches(of: /(?m)^\.It (\d+)\n(.)(.*)\.$/).map(\.output)
    #expect(listed.map { "\($0.1) \($0.2.lowercased())\($0.3)" } == statuses)
    let rows = try page("README.md").matches(of: /(?m)^\| (\d[\d, ]*) \| (.*) \|$/).map(\.output)
    // A row has several statuses, or advice after the meaning.
    let named = rows.flatMap { zip($0.1.split(separator: ", "), $0.2.split(separator: "; ")) }
    #expect(named.map { "\($0) \($1)" } == statuses)
  }
}

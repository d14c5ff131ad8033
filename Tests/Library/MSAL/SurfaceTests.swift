import TestSupport
import Testing

@Suite("the table of MSAL's API")
struct SurfaceTests {
  private struct SymbolGraph: Decodable {
    struct Kind: Decodable {
      let identifier: String
    }

    struct Symbol: Decodable {
      let kind: Kind
      let pathComponents: [String]
    }

    let symbols: [Symbol]
  }

  private let rows: [(name: String, isHere: Bool, remark: String)]

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "API.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    rows = text.matches(of: /(?m)^\| `(.+?)` \| (yes|no) \|(.*)\|$/).map { row in
      (String(row.output.1), row.output.2 == "yes", row.output.3.trimmingCharacters(in: .whitespaces))
    }
  }

  @Test("a name is public in the built module if it is marked as available, and only then")
  func names() async throws {
    let home = try Home()
    let products = BuiltProducts.folder.path
    let maps = ["Crypto", "Curl", "GLib", "Linux"].flatMap {
      ["-Xcc", "-fmodule-map-file=\(products)/CMSAuth\($0).build/module.modulemap"]
    }
    try await ChildProcess.output(
      of: ["swift", "symbolgraph-extract", "-module-name", "MSAL", "-I", "\(products)/Modules"] + maps
        + ["-output-dir", home.path("data")],
      environment: ProcessInfo.processInfo.environment
    )
    let graph = try Data(contentsOf: URL(filePath: home.path("data/MSAL.symbols.json")))
    let symbols = try JSONDecoder().decode(SymbolGraph.self, from: graph).symbols
    let names = Set(symbols.map { $0.pathComponents.joined(separator: ".") })
    #expect(rows.count > 200 && Set(rows.map(\.name)).count == rows.count)
    #expect(rows.filter { names.contains($0.name) != $0.isHere }.map(\.name) == [])
    // Of other enumerations, the table has only the cases that applications use.
    let complete = [
      "MSALError", "MSALInternalError", "MSALAudienceType", "MSALAzureCloudInstance", "MSALPromptType",
      "MSALPreferredAuthMethod", "MSALHttpMethod",
    ]
    let cases = symbols.filter { $0.kind.identifier == "swift.enum.case" && complete.contains($0.pathComponents[0]) }
    let missing = Set(cases.map { $0.pathComponents.joined(separator: ".") }).subtracting(rows.map(\.name))
    #expect(!cases.isEmpty && missing == [])
  }

  @Test("every name marked as unavailable has a reason")
  func reasons() {
    let missing = rows.filter { !$0.isHere }
    #expect(!missing.isEmpty)
    #expect(missing.filter { $0.remark.count < 10 }.map(\.name) == [])
  }
}

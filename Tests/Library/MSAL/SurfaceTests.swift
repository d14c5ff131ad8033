import TestSupport
import Testing

@Suite("the table of MSAL's API")
struct SurfaceTests {
  private struct Row {
    let name: String
    let isHere: Bool
    let remark: String
  }

  private func rows() throws -> [Row] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "API.md")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 5, cells[1].hasPrefix("`") else { return nil }
      return Row(name: cells[1].replacing("`", with: ""), isHere: cells[2] == "yes", remark: cells[3])
    }
  }

  @Test("every name marked as available is used in Surface, and no other")
  func complete() throws {
    let here = try rows().filter(\.isHere).map(\.name)
    let used = Surface.names
    #expect(Set(here).count == here.count)
    #expect(Set(here).symmetricDifference(used) == [])
  }

  @Test("every name marked as unavailable has a reason")
  func reasons() throws {
    let missing = try rows().filter { !$0.isHere }
    #expect(!missing.isEmpty)
    #expect(missing.filter { $0.remark.count < 10 }.map(\.name) == [])
  }
}

/// Uses every name that `API.md` marks as available; a missing name doesn't compile, or isn't listed.
enum Surface {
  static var names: [String] {
    application + (configuration + parameters + results + authorities).joined() + errors
  }

  /// Members of a type with their names; compiling their use is the test.
  struct Members<Root> {
    let names: [String]

    init(_ properties: KeyValuePairs<String, PartialKeyPath<Root>>) {
      names = properties.map { "\(Root.self).\($0.key)" }
    }

    init(other members: KeyValuePairs<String, Any>) { names = members.map { "\(Root.self).\($0.key)" } }
  }

  /// The names of an enumeration's cases, whose raw values are small numbers.
  static func cases<Case: RawRepresentable>(of type: Case.Type) -> [String] where Case.RawValue: FixedWidthInteger {
    (0..<100).compactMap { Case(rawValue: Case.RawValue($0)) }.map { "\(type).\($0)" }
  }
}

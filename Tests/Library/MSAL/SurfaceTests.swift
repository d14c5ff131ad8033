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
    let used = Surface().names
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

/// Uses every name that `API.md` marks as available; a missing name doesn't compile, or isn't recorded.
struct Surface {
  private(set) var names: [String] = []

  init() {
    application()
    configuration()
    parameters()
    results()
    authorities()
    errors()
  }

  /// Records a name; compiling its use is the test.
  mutating func use(_ name: String, _ use: Any) { names.append(name) }

  /// Records all cases of an enumeration with consecutive raw values.
  mutating func use<Case: RawRepresentable>(casesOf type: Case.Type) where Case.RawValue: FixedWidthInteger {
    var rawValue: Case.RawValue = 0
    while let value = type.init(rawValue: rawValue) {
      names.append("\(type).\(value)")
      rawValue += 1
    }
  }
}

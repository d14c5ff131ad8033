import Foundation
import MSAuth
import Testing

@Suite("the table of the conformance suite's modules")
struct TableTests {
  private static let path = #filePath.replacing("TableTests.swift", with: "CONFORMANCE.md")
  private static let command = "MSAUTH_WRITE_CONFORMANCE=1 swift test --filter TableTests"

  @Test("CONFORMANCE.md says what the tests hold msauth to")
  func table() throws {
    let expected = Self.document
    if ProcessInfo.processInfo.environment["MSAUTH_WRITE_CONFORMANCE"] != nil {
      try Data(expected.utf8).write(to: URL(filePath: Self.path))
    }
    let found = try String(contentsOf: URL(filePath: Self.path), encoding: .utf8)
    #expect(found == expected, "write it again with: \(Self.command)")
  }

  @Test("the table has every module once, and sixty at least")
  func modules() {
    let names = ConformanceModule.all.map { "\($0.plan) \($0.testDescription)" }
    #expect(Set(names).count == names.count)
    #expect(names.count >= 60)
    let leftOut = Set(OmittedModule.all.flatMap(\.names))
    #expect(leftOut.isDisjoint(with: ConformanceModule.all.map(\.testDescription)))
  }

  private static var document: String {
    var lines = [
      "# Conformance",
      "",
      "The modules bear the names of the [OpenID Foundation's conformance suite](https://gitlab.com/openid/conformance-suite)",
      "for clients. `ConformanceTests` plays each of them with the real application and a provider that misbehaves as the suite's",
      "does, with the answer in the query and by form post, and judges as the suite judges: by what the client does next.",
      "",
      "* *completes*: it shows its token to userinfo and to the resource, and gets their answers.",
      "* *refuses*: it stops with that reason; no token is shown to anybody, and nothing is stored.",
      "* *ignores the redirect*: that was not its answer; the code is not exchanged, and it goes on waiting.",
      "",
      "This is no certification: that is the suite's own to give. Written by `\(command)`; a test fails when it is out of date.",
    ]
    for plan in Plan.allCases {
      lines += ["", "## \(plan.rawValue)", "", "| module | `query` | `form_post` |", "|---|---|---|"]
      for module in ConformanceModule.all where module.plan == plan {
        lines.append("| \(module.testDescription) | \(module.outcome) | \(module.outcome) |")
      }
      if plan == .formPost {
        lines += ["", "All modules of \(Plan.basic.rawValue) too: their column `form_post`."]
      }
    }
    lines += ["", "## What does not apply", "", "| module | why |", "|---|---|"]
    for leftOut in OmittedModule.all {
      lines += leftOut.names.map { "| \($0) | \(leftOut.why) |" }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

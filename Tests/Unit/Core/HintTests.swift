import MSAuthCore
import TestSupport
import Testing

@Suite("hints")
struct HintTests {
  private static let hint: Hint =
    "\(signIn: ["User.Read"]) and accept, or use \(setting: "store", "file", or: "the file store")\(action: .signOut, or: "")"

  @Test("its text names no command or option until a program inserts its own")
  func words() {
    #expect(Self.hint.description == "sign in again with the scopes User.Read and accept, or use the file store")
    let own = Self.hint.words { part in
      switch part {
      case .text, .next, .command: nil
      case .signIn(let scopes, _): "login \(scopes)"
      case .setting(let name, let value, _): "\(name)=\(value ?? "")"
      case .action(let action, _): ", \(action)"
      }
    }
    #expect(own == #"login ["User.Read"] and accept, or use store=file, signOut"#)
  }

  @Test("hints compose, and equal texts are equal")
  func composition() {
    let composed: Hint = "\(Self.hint): \(8400)"
    #expect(composed.description == "\(Self.hint.description): 8400" && composed == "\(Self.hint): 8400")
    #expect(composed != Self.hint)
  }

  @Test("control characters of names, scopes and settings are escaped")
  func controls() {
    let hostile = "a\u{1b}[2J\nb\u{202E}"
    for hint: Hint in [
      "remove \(hostile)", "\(signIn: [hostile])", "\(signIn: [], account: hostile)", Hint(hostile),
      "use \(setting: "store", hostile, or: hostile)", "\(action: .setKey(hostile), or: hostile)",
    ] {
      #expect(hint.description == hint.description.printable() && !hint.description.contains("\u{1b}"))
      let values = hint.words { if case .setting(_, let value, _) = $0 { value } else { nil } }
      #expect(!values.contains("\u{1b}"))
    }
  }

  /// A file's header, and browsers' options.
  private static let others = ["msauth encrypted token cache", "--profile-directory=", "--user-data-dir="]
  /// The folders whose messages may name the programs' commands and options.
  private static let programs = ["Demo/", "MSAuthAzure/", "Parts/Preferences/", "msauth/"]

  @Test("the library's hints name no command or option of msauth")
  func sources() throws {
    let folder = BuiltProducts.root.appending(path: "Sources").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { file in
      file.hasSuffix(".swift") && !Self.programs.contains(where: file.hasPrefix)
    }
    #expect(!files.isEmpty)
    for file in files {
      let content = try #require(FileManager.default.contents(atPath: "\(folder)/\(file)"))
      for line in String(decoding: content, as: UTF8.self).split(separator: "\n") {
        let code = line.trimmingPrefix { $0 == " " }
        if code.hasPrefix("//") || Self.others.contains(where: code.contains) { continue }
        #expect(!code.contains(#/(?:^|[" ])(?:--[a-z]|msauth )/#), "\(file): \(line)")
      }
    }
  }
}

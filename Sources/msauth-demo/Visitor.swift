import DemoProvider

/// Who goes through the provider's pages: the person if they do it in time, else the tour itself.
actor Visitor {
  /// How long the person has, in seconds; 0 without a person.
  private let patience: Int
  private let walker = ScriptedBrowser()
  private var waiting: Task<Void, Never>?
  private var walking: Task<String?, Never>?

  init(patience: Int) {
    self.patience = patience
  }

  /// Looks at a line of msauth's for the address of a page.
  func read(_ line: String) {
    guard waiting == nil, walking == nil,
      let address = Self.address(in: line)
    else { return }
    guard patience > 0 else { return walk(from: address) }
    waiting = Task {
      do { try await Task.sleep(for: .seconds(patience)) } catch { return }
      Screen.remark("nobody has finished in the browser, so the tour goes through the pages itself")
      walk(from: address)
    }
  }

  /// Ends the visit: msauth has what it waited for.
  func finish() async {
    waiting?.cancel()
    waiting = nil
    if let title = await walking?.value { Screen.remark("the browser's last page: “\(title)”") }
    walking = nil
  }

  /// The address that a person is asked to open.
  private static func address(in line: String) -> String? {
    guard line.contains("sign in at ") || line.contains("sign out at ") else { return nil }
    return line.split(whereSeparator: \.isWhitespace).map(String.init).first { $0.hasPrefix("http://") }
  }

  private func walk(from address: String) {
    walking = Task {
      do {
        return try await walker.walk(from: address, as: "ada").title
      } catch {
        Screen.remark("the pages could not be walked through: \(error)")
        return nil
      }
    }
  }
}

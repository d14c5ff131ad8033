import ArgumentParser

extension ArgumentHelp {
  static let json: ArgumentHelp = "Print one JSON object."
  static let scope: ArgumentHelp = "Scope to request. Can be repeated, or several separated by spaces."
  static let prompt: ArgumentHelp = "select_account, login, consent, create or none."
  static let interactive: ArgumentHelp = "Sign in through the browser if needed."

  /// Help for an option whose value isn't named after the option.
  static func value(_ name: String, _ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: name) }
}

extension Option<String?> {
  /// An option whose value is a file's path.
  init(file help: String) { self.init(help: .value("file", help), completion: .file()) }
}

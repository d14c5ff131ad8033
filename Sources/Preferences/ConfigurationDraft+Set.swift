import Core
import FoundationEssentials
package import MSAuth
package import Unix

extension ConfigurationDraft {
  /// Sets one key of the file, or takes it out, and writes that; what another msauth writes at the same time stays.
  package static func write(
    setting name: String,
    to words: [String]?,
    profile: String?,
    path: String?,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    within timeout: Duration = lockTimeout,
    _ cancellation: Cancellation
  ) throws -> ConfigurationDraft {
    func draft() throws -> ConfigurationDraft {
      try ConfigurationDraft(setting: name, to: words, profile: profile, path: path, environment: environment)
    }
    // Without the lock, for which the directory must be there: it is not made for a value that is wrong.
    let first = try draft()
    if first.changes.isEmpty { return first }
    return try whileLocked(first.path, within: timeout, cancellation) {
      let draft = try draft()
      if !draft.changes.isEmpty { _ = try draft.replace(keepingCopy: false) }
      return draft
    }
  }

  /// Reads the file, if there is one, and sets one key, or takes it out.
  ///
  /// The value is checked as the file's reader checks it, alone and with the rest of the file. A file that was wrong before
  /// may be mended key by key.
  package init(
    setting name: String,
    to words: [String]?,
    profile: String?,
    path: String?,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    let path = try Self.path(path, environment: environment)
    let key = try words.map { _ in try Key.named(name, .flag(name.printable(limit: 80))) }
    let value = try words.flatMap { try key?.value(of: $0) }
    try self.init(path: path, profile: profile) { members in
      // What is not there need not be a key, and what is there may be one by mistake.
      if value == nil, members[name] == nil { _ = try Key.named(name, .flag(name.printable(limit: 80))) }
      var members = members
      members[name] = value
      return members
    }
    let edit = value.map { _ in ConfigurationFile.Edit(profile: profile, key: name) }
    // Without the lines, which a change moves.
    let known = Set(
      ConfigurationFile.mistakes(in: original ?? Array("{}".utf8), path: path, namesLines: false).map(\.message)
    )
    let mistakes = ConfigurationFile.mistakes(in: document, path: path, edit: edit, namesLines: false)
    guard var error = mistakes.first(where: { !known.contains($0.message) }) else { return }
    if error.hasNoHintOfItsOwn, let example = key?.example { error.hint = "for example: \(example)" }
    throw error
  }
}

extension AuthenticationError {
  /// Whether it says no more about what to do than that it is documented.
  package var hasNoHintOfItsOwn: Bool { hint == nil || hint == .documentation }
}

/// What the command line has to know of a key before it has its value.
package struct ConfigurationKey: Sendable {
  /// Whether its value is no argument, which every user can read.
  package let isSecret: Bool
  /// The variable that counts more than the file, if there is one.
  package let variable: String?

  package init(_ name: String) throws {
    let key = try Key.named(name, .flag(name.printable(limit: 80)))
    if case .secret = key.form { isSecret = true } else { isSecret = false }
    variable = key.assign == nil ? nil : key.variable
  }

  /// The names of all keys of the configuration file.
  package static var names: [String] { Key.all.filter { $0.decode != nil }.map(\.name) }
}

extension Key {
  fileprivate var example: String? {
    if case .json(let example, _) = form { "'\(example)'" } else { nil }
  }

  /// The value that a person means.
  fileprivate func value(of words: [String]) throws -> JSON {
    let text = words.joined(separator: " ")
    if case .words = form {
      if words.count == 1, text.utf8.first == UInt8(ascii: "["), let list = try? JSON(parsing: text.utf8) {
        return list
      }
      return .array(text.utf8.split(separator: 0x20).map { .string(String(decoding: $0, as: UTF8.self)) })
    }
    guard words.count == 1 else {
      let advice = example.map { "for example: msauth config set \(name) \($0)" }
      throw Source.flag(name).error(
        "takes one value",
        hint: Hint(advice ?? "put it into quotes: '\(text.printable())'")
      )
    }
    return switch form {
    case .string, .secret, .words: .string(text)
    // The configuration means a file beside it by a relative path.
    case .path: .string(text.isEmpty ? text : text.absolutePath)
    case .json(_, let paths): (try? JSON(parsing: text.utf8)).map { $0.withAbsolutePaths(in: paths) } ?? .string(text)
    }
  }
}

extension JSON {
  /// The same with the paths in these members made absolute.
  fileprivate func withAbsolutePaths(in names: [String]) -> JSON {
    guard var members = object else { return self }
    for name in names {
      if let path = members[name]?.string, !path.isEmpty { members[name] = .string(path.absolutePath) }
    }
    return .object(members)
  }
}

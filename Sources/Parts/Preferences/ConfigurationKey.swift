import MSAuth
import MSAuthCore
import MSAuthUnix

/// A setting; its flag is `--name` and its variable `MSAUTH_NAME`.
package struct ConfigurationKey: Sendable {
  enum Places: Sendable {
    case file, commandLine, everywhere
  }

  /// How a value is written on the command line.
  enum Form: Sendable {
    case string, path
    /// Never shown, and not taken as an argument, which every user can read.
    case secret
    /// Words, or a list in JSON.
    case words
    /// An example, and the members that name files.
    case json(String, paths: [String] = [])
  }

  package let name: String
  var places = Places.file
  var form = Form.string
  /// The value if none is set, unless that depends on other settings.
  var defaultValue: JSONValue?
  /// Throws if a value of the configuration file is wrong.
  var read: @Sendable (JSONValue, Source) throws -> any Sendable = Read.string

  /// Every setting, in the order of `msauth config show`.
  static let all: [ConfigurationKey] = [
    Self(name: "client_id", places: .everywhere),
    Self(name: "client_secret", form: .secret),
    Self(name: "redirect_uri"),
    Self(name: "account", places: .everywhere),
    Self(name: "authority", places: .everywhere),
    Self(name: "authority_type", places: .everywhere),
    Self(name: "tenant", places: .everywhere),
    Self(name: "authorities", form: .json(#"[{"authority_url": "https://id.example.com"}]"#), read: Read.authorities),
    Self(name: "multiple_clouds_supported", form: .json("true"), defaultValue: false, read: Read.bool),
    Self(name: "client_capabilities", read: Read.capabilities),
    Self(name: "dpop", form: .json("true"), defaultValue: false, read: Read.bool),
    Self(name: "account_mode", defaultValue: "MULTIPLE", read: Read.accountMode),
    Self(name: "shared_device_mode_supported", form: .json("true"), defaultValue: true, read: Read.bool),
    Self(name: "scopes", form: .words, read: Read.scopes),
    Self(name: "graph_endpoint", places: .everywhere),
    Self(name: "store", places: .everywhere, defaultValue: "auto"),
    Self(name: "cache_file", places: .commandLine),
    Self(name: "store_key_file", places: .everywhere, form: .path),
    Self(name: "ca_file", places: .everywhere, form: .path),
    Self(name: "browser", read: Read.browser),
    Self(
      name: "appearance",
      form: .json(##"{"logo": "logo.svg", "accent_color": "#23497f"}"##, paths: ["logo"]),
      read: Read.appearance
    ),
    Self(name: "mcp", form: .json(#"{"https://mcp.example.com/mcp": {"scopes": ["read"]}}"#), read: Read.mcp),
    Self(name: "docker_registries", form: .words, read: Read.strings),
    Self(name: "timeout", form: .json("300"), defaultValue: 300, read: Read.timeout),
    Self(name: "config", places: .commandLine),
    Self(name: "profile", places: .commandLine),
  ]

  /// The names of the keys of the configuration file.
  package static var names: [String] { all.filter { $0.places != .commandLine }.map(\.name) }

  static func named(_ name: String, _ source: Source) throws -> ConfigurationKey {
    if let key = all.first(where: { $0.name.isIdentical(to: name) && $0.places != .commandLine }) { return key }
    if name.isIdentical(to: "profiles") {
      throw source.error("can't be set as a whole", hint: "set the keys of one profile with --profile NAME")
    }
    throw source.unknownKey(named: name, among: names + ["profiles"])
  }

  var flag: String { "--" + name.replacing("_", with: "-") }
  /// The variable that overrides the file, if there is one.
  package var variable: String? { places == .file ? nil : "MSAUTH_" + name.uppercased() }
  package var isSecret: Bool { if case .secret = form { true } else { false } }
  var example: String? { if case .json(let example, _) = form { example } else { nil } }

  /// The value that a command line's words denote.
  func value(of words: [String]) throws -> JSONValue {
    let text = words.joined(separator: " ")
    if case .words = form {
      if words.count == 1, text.utf8.first == UInt8(ascii: "["), let list = try? JSONValue(parsing: text.utf8) {
        return list
      }
      return .array(text.utf8.split(separator: 0x20).map { .string(String(decoding: $0, as: UTF8.self)) })
    }
    guard words.count == 1 else {
      let hint: Hint =
        if let example {
          "for example: \(command: ["msauth", "config", "set", name, example])"
        } else {
          "quote it: \(command: [text])"
        }
      throw Source.flag(name).error("takes one value", hint: hint)
    }
    switch form {
    case .string, .secret, .words: return .string(text)
    // In the file, a relative path is relative to the file.
    case .path: return .string(text.isEmpty ? text : text.absolutePath)
    case .json(_, let paths):
      guard let value = try? JSONValue(parsing: text.utf8) else { return .string(text) }
      guard var members = value.object else { return value }
      for name in paths {
        if let path = members[name]?.string, !path.isEmpty { members[name] = .string(path.absolutePath) }
      }
      return .object(members)
    }
  }
}

extension ConfigurationKey {
  /// The key of the configuration file that a command line names.
  package init(_ name: String) throws { self = try Self.named(name, .flag(name.printable(limit: 80))) }
}

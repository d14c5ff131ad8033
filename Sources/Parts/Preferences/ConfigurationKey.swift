import Glibc
import MSAuth
package import MSAuthCore
import MSAuthUnix

/// A setting; its flag is `--name` and its variable `MSAUTH_NAME`.
package struct ConfigurationKey: Sendable {
  enum Places: Sendable {
    case file, commandLine, everywhere
  }

  /// How a value is written on the command line.
  enum Form: Sendable {
    case string, path, issuer
    /// An identifier; quotes pasted with it are removed.
    case pasted
    /// Never shown, and not taken as an argument, which every user can read.
    case secret
    case choice([String])
    /// Words, or a list in JSON.
    case words
    /// An example, unless errors have one, and the members that name files.
    case json(String?, paths: [String] = [])

    static func choice<Choice: CaseIterable & RawRepresentable<String>>(of type: Choice.Type) -> Form {
      .choice(type.allCases.map(\.rawValue))
    }
  }

  let name: String
  let places: Places
  let form: Form
  /// The value if none is set, unless that depends on other settings.
  let defaultValue: JSONValue?
  /// Enters a value into the settings; throws if it is wrong.
  let enter: @Sendable (inout Settings, Sourced<JSONValue>) throws -> Void

  /// By default, `enter` only checks a string, which ``Settings`` combines with other settings.
  private init(
    _ name: String,
    _ places: Places = .file,
    _ form: Form = .string,
    default defaultValue: JSONValue? = nil,
    enter: @escaping @Sendable (inout Settings, Sourced<JSONValue>) throws -> Void = { _ = try $1.string() }
  ) {
    (self.name, self.places, self.form, self.defaultValue) = (name, places, form, defaultValue)
    self.enter = enter
  }

  /// Every setting, in the order of `msauth config show`.
  static let all: [ConfigurationKey] = [
    Self("client_id", .everywhere, .pasted),
    Self("client_secret", .file, .secret),
    Self("redirect_uri") { $0.application.redirectURI = try $1.string() },
    Self("account", .everywhere) { $0.account = try $1.sourcedString() },
    Self("authority", .everywhere, .issuer),
    Self("authority_type", .everywhere, .choice(of: Authority.Kind.self)),
    Self("tenant", .everywhere, .pasted),
    Self("authorities", .file, .json(#"[{"authority_url": "https://id.example.com"}]"#)) { _ = try $1.authorities() },
    Self("multiple_clouds_supported", .file, .json("true"), default: false) {
      $0.application.multipleCloudsSupported = try $1.bool()
    },
    Self("client_capabilities") { $0.application.clientCapabilities = try $1.capabilities() },
    Self("dpop", .file, .json("true"), default: false) { $0.application.usesDPoP = try $1.bool() },
    Self("account_mode", .file, .choice(of: ClientConfiguration.AccountMode.self), default: "MULTIPLE") {
      $0.application.accountMode = try $1.accountMode()
    },
    Self("shared_device_mode_supported", .file, .json("true"), default: true) {
      $0.application.supportsSharedDevice = try $1.bool()
    },
    Self("scopes", .file, .words) { $0.scopes = try $1.scopes() },
    Self("graph_endpoint", .everywhere) { $0.graphEndpoint = try $1.sourcedString().checkedEndpoint() },
    Self("broker", .everywhere, .choice(of: ClientConfiguration.BrokerUse.self), default: "auto") {
      $0.application.brokerUse = try $1.brokerUse()
    },
    Self("store", .everywhere, .choice(of: StoreSetting.self), default: "auto") {
      $0.store = try $1.sourcedString()
    },
    Self("cache_file", .commandLine),
    Self("store_key_file", .everywhere, .path) { $0.application.storeKeyFile = try $1.path() },
    Self("ca_file", .everywhere, .path) { $0.application.http.caFile = try $1.path() },
    Self("browser") { $0.application.browser = try $1.browser() },
    Self("appearance", .file, .json(##"{"logo": "logo.svg", "accent_color": "#23497f"}"##, paths: ["logo"])) {
      $0.application.appearance = try $1.appearance()
    },
    Self("mcp", .file, .json(#"{"https://mcp.example.com/mcp": {"scopes": ["read"]}}"#)) { $0.mcp = try $1.servers() },
    Self("mcp_client_id") { $0.mcpClientID = try $1.documentURL() },
    Self("docker_registries", .file, .words) { $0.dockerRegistries = try $1.registries() },
    Self("timeout", .file, .json(nil), default: .number(.init(Interaction.defaultTimeout.components.seconds))) {
      $0.timeout = try $1.timeout()
    },
    Self("countdown", .file, .json("false"), default: true) { _ = try $1.bool() },
    Self("config", .commandLine),
    Self("profile", .everywhere),
  ]

  /// The key that a name of the command line stands for: `issuer` means `authority`.
  package static func canonical(_ name: String) -> String { name.isIdentical(to: "issuer") ? "authority" : name }

  package static func flag(_ name: String) -> String { "--" + name.replacing("_", with: "-") }
  package static func variable(_ name: String) -> String { variablePrefix + name.uppercased() }
  package static let variablePrefix = "MSAUTH_"

  /// The names of the keys of the configuration file.
  package static var names: [String] { all.filter { $0.places != .commandLine }.map(\.name) }

  static func named(_ name: String, _ source: Source, isRemoved: Bool = false) throws -> ConfigurationKey {
    if let key = all.first(where: { $0.name.isIdentical(to: name) && $0.places != .commandLine }) { return key }
    if name.isIdentical(to: "profiles") {
      let hint: Hint = "set the keys of one profile with \(setting: "profile", "NAME", or: "its name")"
      throw source.error("can't be set as a whole", hint: hint)
    }
    let parts = name.split(at: ".", maxSplits: 2)
    if case .flag = source, parts.count > 1, ["profile", "profiles"].contains(where: parts[0].isIdentical) {
      let profile: Hint = "\(setting: "profile", parts[1], or: "that profile")"
      let key = parts.count == 3 ? parts[2] : isRemoved ? "profiles" : "the keys of the profile"
      let removal: Hint = "run \(action: .removeKey(key), or: "remove \(key) of") \(profile)"
      throw source.error("isn't a key", hint: isRemoved ? removal : "use \(key) with \(profile)")
    }
    throw source.unknownKey(named: name, among: names + ["profiles"])
  }

  var flag: String { Self.flag(name) }
  /// The variable that overrides the file, if there is one.
  package var variable: String? { places == .file ? nil : Self.variable(name) }
  package var isSecret: Bool { if case .secret = form { true } else { false } }
  /// The possible values, if they are few.
  package var choices: [String] {
    switch form {
    case .choice(let values): values
    case .json where defaultValue?.bool != nil: ["true", "false"]
    default: []
    }
  }
  var example: String? { if case .json(let example, _) = form { example } else { nil } }

  /// The value of a flag or a variable.
  func value(of text: String) -> String { if case .pasted = form { text.pastedID } else { text } }

  /// The value that a command line's words denote.
  func value(of words: [String]) throws -> JSONValue {
    let text = words.joined(separator: " ")
    if case .words = form {
      if words.count == 1, text.utf8.first == UInt8(ascii: "["), let list = try? JSONValue(parsing: text.utf8) {
        return list
      }
      let list = text.utf8.split(separator: 0x20).map { JSONValue.string(String(decoding: $0, as: UTF8.self)) }
      guard !list.isEmpty else { throw Source.flag(name).error("is empty") }
      return .array(list)
    }
    guard words.count == 1 else {
      let form: Hint? = example.map { "for example: \(action: .setKey(name), or: name) \(command: [$0])" }
      throw Source.flag(name).error("takes one value", hint: form ?? "quote it: \(command: [text])")
    }
    switch form {
    case .string, .pasted, .secret, .choice, .words: return .string(value(of: text))
    case .issuer: return .string(text.issuerURL)
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

extension String {
  /// An ID without the quotes or the braces that were pasted with it.
  var pastedID: String {
    let id = unquoted
    guard id.utf8.first == UInt8(ascii: "{"), id.utf8.last == UInt8(ascii: "}") else { return id }
    return String(id.dropFirst().dropLast()).unquoted
  }
}

extension Layer {
  /// The errors of the files that the values name and that don't exist.
  var missingFiles: [AuthenticationError] {
    let files = ConfigurationKey.all.flatMap { key in self[key.name].map(key.files) ?? [] }
    return files.compactMap { file in
      let path = file.source.path(of: file.value)
      guard access(path, F_OK) != 0, [ENOENT, ENOTDIR].contains(errno) else { return nil }
      return file.source.error("names \(path.printable()), which doesn't exist")
    }
  }
}

extension ConfigurationKey {
  /// The files that a value names and that are there at any time.
  fileprivate func files(in given: Sourced<JSONValue>) -> [Sourced<String>] {
    switch form {
    // Only while a service runs, systemd passes it the key.
    case .path where name == "store_key_file": []
    case .path: [given.map(\.string)].compactMap(\.self)
    case .json(_, let paths):
      paths.compactMap { name in
        given.value[name]?.string.map { Sourced<String>($0, given.source.member(name)) }
      }
    case .string, .pasted, .issuer, .secret, .choice, .words: []
    }
  }

  /// The key of the configuration file that a command line names, perhaps to remove it.
  package init(_ name: String, isRemoved: Bool = false) throws {
    self = try Self.named(name, .flag(name.printable(limit: 80)), isRemoved: isRemoved)
  }

  /// Warnings about variables that look like misspelled settings.
  package static func misnamedVariables(in environment: [String: String]) -> [AuthenticationError] {
    let prefix = variablePrefix.utf8
    let known = all.compactMap(\.variable)
    return environment.keys.sorted().compactMap { variable in
      guard variable.utf8.starts(with: prefix), !known.contains(where: { $0.isIdentical(to: variable) }),
        let name = String(variable.utf8.dropFirst(prefix.count))?.lowercased()
      else { return nil }
      let source = Source.variable(variable.printable(limit: 80))
      if all.contains(where: { $0.variable == nil && $0.name.isIdentical(to: name) }) {
        return source.error("has no effect", hint: "\(name) is only read from the configuration file")
      }
      let key = canonical(name)
      let names = known.map { $0.dropFirst(prefix.count).lowercased() }
      let suggestion = key == name ? nearest(to: name, in: names) : key
      return suggestion.map { source.error("has no effect", hint: "did you mean \(Self.variable($0))?") }
    }
  }
}

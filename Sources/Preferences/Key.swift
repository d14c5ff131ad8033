import Core
import Desktop
import MSAuth
import OAuth
import Unix

/// A setting: its name, where it may be written, and how its value is read.
///
/// Its flag is `--name` and its variable `MSAUTH_NAME`.
struct Key: Sendable {
  /// Where a setting may be written.
  enum Places: Sendable {
    case file, commandLine, everywhere
  }

  /// How a person writes a value on the command line.
  enum Form: Sendable {
    case string, path
    /// Nothing of it is shown, and it is no argument, which others can read.
    case secret
    /// Words, or a list in JSON.
    case words
    /// JSON, such as this; the members that name files.
    case json(String, paths: [String] = [])
  }

  /// The name in the configuration file.
  let name: String
  /// Reads a value of the configuration file; nil where the file has no such key.
  let decode: (@Sendable (inout Layer, JSON, Source) throws -> Void)?
  /// Takes a flag's or a variable's string; nil where there is no such flag.
  let assign: (@Sendable (inout Layer, Sourced<String>) -> Void)?
  /// Fills a layer from the one below it.
  let inherit: @Sendable (inout Layer, inout Layer) -> Void
  /// The layer's value, to be shown.
  let json: @Sendable (Layer) -> Sourced<JSON>?
  /// How a person writes the value.
  var form = Form.string

  var flag: String { "--" + String(name.map { $0 == "_" ? "-" : $0 }) }
  var variable: String { "MSAUTH_" + name.uppercased() }

  /// Every setting, each declared once.
  static let all: [Key] = [
    string("client_id", { $1(&$0.clientID) }, in: .everywhere),
    string("client_secret", { $1(&$0.clientSecret) }).written(as: .secret),
    string("redirect_uri", { $1(&$0.redirectURI) }),
    string("account", { $1(&$0.account) }, in: .everywhere),
    string("authority", { $1(&$0.authority) }, in: .everywhere),
    string("authority_type", { $1(&$0.authorityType) }, in: .everywhere),
    string("tenant", { $1(&$0.tenant) }, in: .everywhere),
    value("authorities", { $1(&$0.authorities) }, FileAuthorities.init)
      .written(as: .json(#"[{"type": "AAD", "authority_url": "https://login.microsoftonline.com/common"}]"#)),
    value("multiple_clouds_supported", { $1(&$0.multipleCloudsSupported) }, Decode.bool).written(as: .json("true")),
    value("client_capabilities", { $1(&$0.clientCapabilities) }, Decode.capabilities),
    value("dpop", { $1(&$0.dpop) }, Decode.bool).written(as: .json("true")),
    value("account_mode", { $1(&$0.accountMode) }, Decode.accountMode),
    value("shared_device_mode_supported", { $1(&$0.sharedDeviceModeSupported) }, Decode.bool).written(
      as: .json("true")
    ),
    value("scopes", { $1(&$0.scopes) }, Decode.scopes).written(as: .words),
    string("graph_endpoint", { $1(&$0.graphEndpoint) }, in: .everywhere),
    string("store", { $1(&$0.store) }, in: .everywhere),
    string("cache_file", { $1(&$0.cacheFile) }, in: .commandLine),
    path("store_key_file", { $1(&$0.storeKeyFile) }).written(as: .path),
    path("ca_file", { $1(&$0.caFile) }).written(as: .path),
    value("browser", { $1(&$0.browser) }, Decode.browser),
    value("appearance", { $1(&$0.appearance) }, Decode.appearance)
      .written(as: .json(##"{"logo": "logo.svg", "accent_color": "#23497f"}"##, paths: ["logo"])),
    value("timeout", { $1(&$0.timeout) }, Decode.timeout).written(as: .json("300")),
    string("config", { $1(&$0.config) }, in: .commandLine),
    string("profile", { $1(&$0.profile) }, in: .commandLine),
  ]

  /// The key of the configuration file that has that name.
  static func named(_ name: String, _ source: Source) throws -> Key {
    if let key = all.first(where: { $0.name.isIdentical(to: name) && $0.decode != nil }) { return key }
    if name.isIdentical(to: "profiles") {
      throw source.error("is not written as a whole", hint: "write the keys of one with --profile NAME")
    }
    throw source.unknownKey(named: name, among: all.filter { $0.decode != nil }.map(\.name) + ["profiles"])
  }

  private func written(as form: Form) -> Key {
    var key = self
    key.form = form
    return key
  }

  /// Hands over a layer's value, to be read or changed.
  ///
  /// A key path would do the same; to make those of all keys takes a twentieth of the instructions of a cached token.
  private typealias Property<Value: Sendable> = @Sendable (inout Layer, (inout Sourced<Value>?) -> Void) -> Void

  private static func value<Value>(
    _ name: String,
    _ property: @escaping Property<Value>,
    _ decode: @escaping @Sendable (JSON, Source) throws -> Value
  ) -> Key {
    Key(
      name: name,
      decode: { layer, json, source in
        let value = Sourced(try decode(json, source), source, json: json)
        property(&layer) { $0 = value }
      },
      assign: nil,
      inherit: { layer, lower in
        property(&layer) { value in
          if value == nil { property(&lower) { value = $0 } }
        }
      },
      json: { layer in read(property, of: layer).flatMap { value in value.map { _ in value.json } } }
    )
  }

  /// A file; in the configuration it is relative to that.
  private static func path(_ name: String, _ property: @escaping Property<String>) -> Key {
    let key = string(name, property, in: .everywhere)
    return Key(
      name: name,
      decode: { layer, json, source in
        let value = Sourced(source.path(of: try Decode.string(json, source)), source)
        property(&layer) { $0 = value }
      },
      assign: key.assign,
      inherit: key.inherit,
      json: key.json
    )
  }

  private static func string(
    _ name: String,
    _ property: @escaping Property<String>,
    in places: Places = .file
  ) -> Key {
    let key: Key = value(name, property) { try Decode.string($0, $1) }
    let assign: @Sendable (inout Layer, Sourced<String>) -> Void = { layer, string in
      property(&layer) { $0 = string }
    }
    return Key(
      name: name,
      decode: places == .commandLine ? nil : key.decode,
      assign: places == .file ? nil : assign,
      inherit: key.inherit,
      json: { layer in read(property, of: layer)?.map { .string($0) } }
    )
  }

  private static func read<Value>(_ property: Property<Value>, of layer: Layer) -> Sourced<Value>? {
    var layer = layer
    var result: Sourced<Value>?
    property(&layer) { result = $0 }
    return result
  }
}

/// Reads values of the configuration file; a wrong one is an error that names file and key.
enum Decode {
  static func string(_ value: JSON, _ source: Source) throws -> String {
    guard let string = value.string else { throw source.error("is not a string") }
    guard !string.isEmpty else { throw source.error("is empty") }
    return string
  }

  static func bool(_ value: JSON, _ source: Source) throws -> Bool {
    guard let bool = value.bool else { throw source.error("is not true or false") }
    return bool
  }

  static func scopes(_ value: JSON, _ source: Source) throws -> [String] {
    guard let list = value.array else { throw source.error("is not a list of strings") }
    let names = try list.map { try string($0, source) }
    do throws(Failure) {
      _ = try Scopes(names)
    } catch {
      throw source.error("cannot be used: \(error.message)")
    }
    return names
  }

  /// MSAL for Android: one string, with commas.
  static func capabilities(_ value: JSON, _ source: Source) throws -> [String] {
    try string(value, source).split(separator: ",").map { part in
      let name = part.trimmingPrefix { $0 == " " }
      guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
        throw source.error("is not a list such as \"CP1\"")
      }
      return String(name)
    }
  }

  /// MSAL for Android's words.
  static func accountMode(_ value: JSON, _ source: Source) throws -> String {
    guard let mode = value.string?.uppercased(), ["SINGLE", "MULTIPLE"].contains(mode) else {
      throw source.error("is not SINGLE or MULTIPLE")
    }
    return mode
  }

  /// A logo beside the file, or at an absolute path, and a colour.
  static func appearance(_ value: JSON, _ source: Source) throws -> ClientConfiguration.Appearance {
    var logo: String?
    var accentColor: String?
    try source.eachMember(of: value) { key, value, source in
      switch key {
      case "logo": logo = source.path(of: try string(value, source))
      case "accent_color":
        let color = try string(value, source)
        guard (try? ClientConfiguration.Appearance(accentColor: color)) != nil else {
          throw source.error("is not a colour such as #23497f", value: color)
        }
        accentColor = color
      default: throw source.unknownKey(named: key, among: ["logo", "accent_color"])
      }
    }
    return try ClientConfiguration.Appearance(logo: logo, accentColor: accentColor)
  }

  static func browser(_ value: JSON, _ source: Source) throws -> String {
    let command = try string(value, source)
    guard SystemBrowser.isCommand(command) else {
      throw source.error("has no program in it, or a quote that is not closed", value: command)
    }
    return command
  }

  static func timeout(_ value: JSON, _ source: Source) throws -> Double {
    guard let seconds = value.double, seconds > 0, seconds <= Double(WaitingTime.maximum.components.seconds)
    else {
      throw source.error("is not a number of seconds above 0 and up to \(WaitingTime.maximum.components.seconds)")
    }
    return seconds
  }
}

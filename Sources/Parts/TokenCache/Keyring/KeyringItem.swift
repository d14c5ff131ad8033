import MSAuthCore
import MSAuthCrypto

/// The item of the keyring that holds accounts and tokens, with the names of MSAL Python's `LibsecretPersistence`.
public struct KeyringItem: Sendable, Hashable {
  /// The form of the item's secret.
  public enum Encoding: String, Sendable {
    /// The JSON text itself, as MSAL Python stores it.
    case json
    /// The JSON text in Base64, as MSAL.NET and MSAL Go store it.
    case base64
  }

  /// The schema's name.
  public var schema: String
  /// Whether only an item of that schema is found, as by MSAL Python and Go; MSAL.NET looks by the attributes alone.
  public var matchesSchema: Bool
  /// What finds the item; keyrings keep these in clear text, so they must not identify the user.
  public var attributes: [String: String]
  /// The name that keyring managers show.
  public var label: String
  /// The collection's alias: `default`, or `session`, which ends with the session.
  public var collection: String
  /// How a new item is written; an existing one is read in either form, and keeps it.
  public var encoding: Encoding
  /// The file that is touched when the item changes, with the lock file beside it; `nil` for msauth's item.
  public var signalFile: String?

  /// Describes an item; without arguments, msauth's.
  public init(
    schema: String = "io.github.msauth.token_cache",
    matchesSchema: Bool = true,
    attributes: [String: String] = ["application": "msauth"],
    label: String = "msauth: accounts and tokens",
    collection: String = "default",
    encoding: Encoding = .json,
    signalFile: String? = nil
  ) {
    (self.schema, self.matchesSchema, self.attributes) = (schema, matchesSchema, attributes)
    (self.label, self.collection, self.encoding) = (label, collection, encoding)
    self.signalFile = signalFile
  }

  /// The item that Microsoft's developer tools and Git Credential Manager share.
  public static func microsoftTools(home: String) -> KeyringItem {
    KeyringItem(
      schema: "msal.cache",
      matchesSchema: false,
      attributes: [
        "MsalClientID": "Microsoft.Developer.IdentityService",
        "Microsoft.Developer.IdentityService": "1.0.0.0",
      ],
      label: "MSALCache",
      encoding: .base64,
      signalFile: home + "/.local/.IdentityService/msal.cache"
    )
  }

  /// The item of an MSAL Python application that sets only the signal file (`signal_location`).
  public static func msalPython(signalFile: String) -> KeyringItem {
    let schema = Digest.sha256.hash(Array(signalFile.utf8)).hexadecimal
    return KeyringItem(schema: schema, attributes: [:], label: "", signalFile: signalFile)
  }

  /// Whether only items of the schema match: without a schema and attributes, every item would.
  var findsBySchema: Bool { matchesSchema || attributes.isEmpty }

  /// Names the item's journal, and its lock on the bus.
  var identifier: String {
    let attributes = attributes.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
    let name = ([schema, collection] + attributes).joined(separator: "\n")
    return Digest.sha256.hash(Array(name.utf8)).prefix(4).hexadecimal
  }

  /// A second item beside the cache, which its lookups do not find.
  func sibling(_ name: String, _ more: [String: String], label suffix: String) -> KeyringItem {
    var other = self
    other.schema += ".\(name)"
    // A program that searches by attributes alone must not find this item; others compare the schema.
    other.attributes = findsBySchema ? attributes.merging(more) { _, new in new } : more
    other.matchesSchema = true
    other.label += " (\(suffix))"
    return other
  }
}

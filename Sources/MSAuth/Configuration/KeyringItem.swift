/// Which item of the keyring holds accounts and tokens, in the words of MSAL Python's `LibsecretPersistence`.
///
/// Microsoft's own tools share one: schema `msal.cache`, with the attributes that they document.
public struct KeyringItem: Sendable, Hashable {
  /// The schema's name.
  public var schema: String
  /// What finds the item; keyrings keep these in clear text, so nothing that tells who signed in may be here.
  public var attributes: [String: String]
  /// What the keyring's window shows.
  public var label: String
  /// The collection's alias: `default`, or `session`, which is gone with the session.
  public var collection: String
  /// The file whose time of change tells that the item changed, and beside which the lock is; nil for msauth's own.
  public var signalFile: String?

  /// Describes an item; without arguments msauth's own.
  ///
  /// - Parameters:
  ///   - schema: The schema's name.
  ///   - attributes: What finds the item.
  ///   - label: What the keyring's window shows.
  ///   - collection: The collection's alias.
  ///   - signalFile: The file that tells of changes.
  public init(
    schema: String = "io.github.msauth.token_cache",
    attributes: [String: String] = ["application": "msauth"],
    label: String = "msauth: accounts and tokens",
    collection: String = "default",
    signalFile: String? = nil
  ) {
    self.schema = schema
    self.attributes = attributes
    self.label = label
    self.collection = collection
    self.signalFile = signalFile
  }
}

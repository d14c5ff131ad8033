/// Which item of the keyring holds the cache, in the words of MSAL Python's `LibsecretPersistence`.
package struct SecretServiceConfiguration: Sendable, Equatable {
  /// The file whose time of change shows that the item changed.
  package var signalPath: String
  /// The lock that all who write the item respect; other MSAL libraries lock beside the signal file.
  package var lockPath: String
  /// The schema's name.
  package var schema: String
  /// Whether only an item of that schema is found, as MSAL Python looks for it; .NET looks by the attributes alone.
  package var matchesSchema: Bool
  /// What finds the item.
  ///
  /// Keyrings keep these in clear text: nothing that tells who signed in may be here.
  package var attributes: [String: String]
  /// What a keyring's window shows.
  package var label: String
  /// The collection's alias: `default`, or `session`, which is gone with the session.
  package var collection: String
  /// Whether a new item is written in Base64, as .NET and Go do; one that is there keeps its form.
  package var isBase64: Bool
  /// Whether somebody can answer a prompt of the keyring; if not, a locked one is an error at once.
  package var mayPrompt: Bool

  package init(
    signalPath: String,
    lockPath: String? = nil,
    schema: String,
    matchesSchema: Bool = true,
    attributes: [String: String],
    label: String,
    collection: String,
    isBase64: Bool = false,
    mayPrompt: Bool
  ) {
    self.signalPath = signalPath
    self.lockPath = lockPath ?? signalPath + ".lockfile"
    self.schema = schema
    // Without a schema and without attributes, every item of the keyring would be meant.
    self.matchesSchema = matchesSchema || attributes.isEmpty
    self.attributes = attributes
    self.label = label
    self.collection = collection
    self.isBase64 = isBase64
    self.mayPrompt = mayPrompt
  }
}

/// Which item of the keyring holds the cache, in the words of MSAL Python's `LibsecretPersistence`.
package struct SecretServiceConfiguration: Sendable, Equatable {
  /// The file whose time of change tells that the item changed; the lock is beside it, with `.lockfile` at its end.
  package var signalPath: String
  /// The schema's name, which is matched.
  package var schema: String
  /// What finds the item.
  ///
  /// Keyrings keep these in clear text: nothing that tells who signed in may be here.
  package var attributes: [String: String]
  /// What a keyring's window shows.
  package var label: String
  /// The collection's alias: `default`, or `session`, which is gone with the session.
  package var collection: String
  /// Whether somebody can answer a prompt of the keyring; if not, a locked one is an error at once.
  package var mayPrompt: Bool

  package init(
    signalPath: String,
    schema: String,
    attributes: [String: String],
    label: String,
    collection: String,
    mayPrompt: Bool
  ) {
    self.signalPath = signalPath
    self.schema = schema
    self.attributes = attributes
    self.label = label
    self.collection = collection
    self.mayPrompt = mayPrompt
  }
}

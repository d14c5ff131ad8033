import Core

extension ProviderState {
  /// The key set as it is published now.
  func publishedKeys() throws -> JSONValue {
    if poison.keyTroubles.contains(.several) { try keys.addOther() }
    return keys.published
  }

  /// A sign-in begins.
  func prepareKeysForSignIn() throws {
    if poison.keyTroubles.contains(.rotatedBetweenSignIns) { try keys.rotate() }
  }

  /// The keys to sign with now.
  func keysForSigning() throws -> KeyRing {
    if poison.keyTroubles.contains(.rotatedBeforeSigning) { try keys.rotate() }
    return keys
  }
}

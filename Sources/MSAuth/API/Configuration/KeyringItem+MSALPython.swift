import Core
import LibCrypto
public import TokenCache

extension KeyringItem {
  /// The item of an application of MSAL Python that names nothing but the signal file.
  ///
  /// - Parameter signalFile: The file, written exactly as the application writes it (`signal_location`).
  /// - Returns: The item.
  public static func msalPython(signalFile: String) -> KeyringItem {
    let schema = Digest.sha256.hash(Array(signalFile.utf8)).hexadecimal
    return KeyringItem(schema: schema, attributes: [:], label: "", signalFile: signalFile)
  }
}

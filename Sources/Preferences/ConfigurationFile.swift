import Core
import FoundationEssentials
import MSAuth
import Unix

/// What a configuration file or one of its profiles says, each value optional.
package struct FileSettings {
  package var clientID: String?
  package var redirectURI: String?
  package var authority: FileAuthority?
  /// The other entries of `authorities`, which the person vouches for too.
  package var knownAuthorities: [FileAuthority]?
  package var multipleCloudsSupported: Bool?
  package var clientCapabilities: [String]?
  package var usesDPoP: Bool?
  package var singleAccount: Bool?
  package var sharedDeviceSupported: Bool?
  package var scopes: [String]?
  package var graphEndpoint: String?
  package var store: String?
  package var browser: String?
  package var timeout: Double?
  package var clientSecret: String?

  package init() {}

  /// The profile's values over these.
  func overlaid(by profile: FileSettings) -> FileSettings {
    var settings = self
    settings.clientID = profile.clientID ?? clientID
    settings.redirectURI = profile.redirectURI ?? redirectURI
    settings.authority = profile.authority ?? authority
    settings.knownAuthorities = profile.knownAuthorities ?? knownAuthorities
    settings.multipleCloudsSupported = profile.multipleCloudsSupported ?? multipleCloudsSupported
    settings.clientCapabilities = profile.clientCapabilities ?? clientCapabilities
    settings.usesDPoP = profile.usesDPoP ?? usesDPoP
    settings.singleAccount = profile.singleAccount ?? singleAccount
    settings.sharedDeviceSupported = profile.sharedDeviceSupported ?? sharedDeviceSupported
    settings.scopes = profile.scopes ?? scopes
    settings.graphEndpoint = profile.graphEndpoint ?? graphEndpoint
    settings.store = profile.store ?? store
    settings.browser = profile.browser ?? browser
    settings.timeout = profile.timeout ?? timeout
    settings.clientSecret = profile.clientSecret ?? clientSecret
    return settings
  }
}

/// `config.json`: the keys of MSAL's `auth_config.json`, msauth's own, and profiles of the same keys.
struct ConfigurationFile {
  /// Far more than any configuration needs.
  private static let maximumSize = 1 << 20

  var settings = FileSettings()
  var profiles: [String: FileSettings] = [:]

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isOptional: Whether it need not be there.
  /// - Throws: ``AuthenticationError`` that names file and key.
  init(path: String, isOptional: Bool) throws {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try readFile(at: path, limit: Self.maximumSize).bytes
    } catch {
      if error.reason == .missing, isOptional { return }
      throw Self.wrong(path, error.what)
    }
    let value: JSON
    do {
      value = try JSON(parsing: bytes)
    } catch {
      throw Self.wrong(path, "is not JSON", remedy: .advice("check it with: python3 -m json.tool \(path.printable())"))
    }
    guard case .object(var members) = value else { throw Self.wrong(path, "is not a JSON object") }
    if let profiles = members.removeValue(forKey: "profiles") {
      guard case .object(let named) = profiles else { throw Self.wrong(path, "has \"profiles\" that is not an object") }
      for (name, value) in named {
        guard case .object(let members) = value else {
          throw Self.wrong(path, "has \"profiles.\(name.printable(limit: 80))\" that is not an object")
        }
        self.profiles[name] = try KeyReader(members, in: path, at: "profiles.\(name.printable(limit: 80)).").settings()
      }
    }
    settings = try KeyReader(members, in: path, at: "").settings()
  }

  static func wrong(_ path: String, _ what: String, remedy: Remedy? = nil) -> AuthenticationError {
    AuthenticationError(
      .invalidConfiguration,
      "\(path.printable()) \(what)",
      reason: .configurationFile,
      remedy: remedy
    )
  }
}

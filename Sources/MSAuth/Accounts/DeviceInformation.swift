import MSAuthUnix

/// Whether the device is private or shared (MSAL: `MSALDeviceInformation`).
public struct DeviceInformation: Sendable, Hashable {
  /// The mode of a device.
  public enum Mode: String, Sendable {
    /// A device with one user (MSAL: `default`).
    case privateDevice = "private"
    /// A device with changing users: all applications share one account, and nothing is kept after the session.
    case shared
  }

  /// The device's mode.
  public var mode: Mode

  public init(mode: Mode) { self.mode = mode }

  /// The file in which an administrator declares the device shared.
  public static let standardFile = "/etc/msauth/device.json"

  private static let maximumSize = 64 * 1024

  /// Reads the administrator's file, such as `{"device_mode": "shared"}`.
  ///
  /// - Parameter path: The file's path; without a file, the device is private.
  /// - Throws: `AuthenticationError` if the mode is neither `private` nor `shared`, or if a user other than the
  ///   administrator can write the file.
  public init(contentsOf path: String = standardFile) throws(AuthenticationError) {
    try self.init(contentsOf: path, writtenBy: 0)
  }

  init(contentsOf path: String, writtenBy administrator: UInt32) throws(AuthenticationError) {
    let bytes: [UInt8]
    do throws(FileError) {
      // Another user who can write it could make tokens outlive the session.
      let requirements = FileRequirements(owners: [administrator], forbiddenMode: 0o022)
      bytes = try readFile(at: path, limit: Self.maximumSize, requiring: requirements).bytes
    } catch {
      switch error.reason {
      case .missing:
        self.init(mode: .privateDevice)
        return
      case .foreignOwner, .writableByOthers:
        throw Self.invalid(
          path,
          "can be written by users other than the administrator",
          hint: "\(command: ["chown", "root", path.pathArgument]) and \(command: ["chmod", "644", path.pathArgument])"
        )
      default:
        throw Self.invalid(path, error.what, hint: error.hint)
      }
    }
    let members: JSONValue.Object
    do throws(JSONValue.ParseError) {
      members = try JSONValue.object(parsing: bytes)
    } catch {
      let (location, what) = error.mistake(in: bytes, of: path)
      throw Self.invalid(location, what)
    }
    func location(of key: String) -> String {
      JSONValue.line(ofMemberAt: [key], in: bytes).map { "\(path):\($0):" } ?? "\(path):"
    }
    if let unknown = members.keys.first(where: { $0 != "device_mode" }) {
      throw Self.invalid(location(of: unknown), "unknown key \(unknown.quoted)")
    }
    switch members["device_mode"] {
    case "shared": self.init(mode: .shared)
    case "private": self.init(mode: .privateDevice)
    default: throw Self.invalid(location(of: "device_mode"), #""device_mode" must be "private" or "shared""#)
    }
  }

  private static func invalid(_ location: String, _ what: String, hint: Hint? = nil) -> AuthenticationError {
    AuthenticationError(
      .invalidConfiguration,
      "\(location) \(what)",
      reason: "device_configuration_invalid",
      hint: hint ?? #"it should contain {"device_mode": "shared"} or {"device_mode": "private"}"#
    )
  }
}

extension ClientConfiguration {
  /// Whether this device is private or shared, as its administrator declared.
  func deviceInformation() throws(AuthenticationError) -> DeviceInformation {
    try DeviceInformation(contentsOf: deviceConfigurationFile, writtenBy: deviceAdministrator)
  }
}

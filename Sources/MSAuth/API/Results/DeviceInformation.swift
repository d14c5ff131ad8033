import MSAuthUnix

/// Whether the device is one person's or shared (MSAL: `MSALDeviceInformation`).
public struct DeviceInformation: Sendable, Hashable {
  /// The mode of a device.
  public enum Mode: String, Sendable {
    /// One person's device (MSAL: `default`).
    case privateDevice = "private"
    /// A device that changes hands: one account for all applications, nothing kept after the session.
    case shared
  }

  /// The device's mode.
  public var mode: Mode

  /// Makes the record.
  ///
  /// - Parameter mode: The device's mode.
  public init(mode: Mode) {
    self.mode = mode
  }
}

extension DeviceInformation {
  /// Where an administrator says that a device is shared.
  public static let standardFile = "/etc/msauth/device.json"

  /// A device's configuration is one line; anything much longer is not one.
  private static let maximumSize = 64 * 1024

  /// Reads the administrator's file, such as `{"device_mode": "shared"}`.
  ///
  /// - Parameter path: Where the file is; a private device need not have one.
  /// - Throws: ``AuthenticationError`` when the file is there and says something else than `private` or `shared`, or when
  ///   somebody else than the administrator could have written it.
  public init(contentsOf path: String = standardFile) throws(AuthenticationError) {
    try self.init(contentsOf: path, writtenBy: 0)
  }

  /// Reads the file as ``init(contentsOf:)`` does.
  init(contentsOf path: String, writtenBy administrator: UInt32) throws(AuthenticationError) {
    let bytes: [UInt8]
    do throws(FileError) {
      // Anybody who can write it can make tokens outlive a session that was promised to leave none.
      let requirements = FileRequirements(owners: [administrator], forbiddenMode: 0o022)
      bytes = try readFile(at: path, limit: Self.maximumSize, requiring: requirements).bytes
    } catch {
      switch error.reason {
      case .missing:
        self.init(mode: .privateDevice)
        return
      case .foreignOwner, .writableByOthers:
        throw Self.wrong(
          path,
          "can be written by others than the administrator",
          hint: "chown root \(path) and chmod 644 it"
        )
      default:
        throw Self.wrong(path, error.what)
      }
    }
    guard let members = try? JSONValue(parsing: bytes).object else {
      throw Self.wrong(path, "is not a JSON object")
    }
    if let unknown = members.keys.first(where: { $0 != "device_mode" }) {
      throw Self.wrong(path, "has an unknown key \"\(unknown.printable(limit: 80))\"")
    }
    switch members["device_mode"] {
    case "shared": self.init(mode: .shared)
    case "private": self.init(mode: .privateDevice)
    default: throw Self.wrong(path, "has no device_mode that is \"shared\" or \"private\"")
    }
  }

  private static func wrong(_ path: String, _ what: String, hint: Hint? = nil) -> AuthenticationError {
    AuthenticationError(
      .invalidConfiguration,
      "\(path) \(what)",
      reason: "device_configuration_invalid",
      hint: hint ?? #"it should contain {"device_mode": "shared"} or {"device_mode": "private"}"#
    )
  }
}

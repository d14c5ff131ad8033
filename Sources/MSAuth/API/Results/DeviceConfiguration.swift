import FoundationEssentials
import Glibc
import Core

extension DeviceInformation {
  /// Where an administrator says that a device is shared.
  public static let standardFile = "/etc/msauth/device.json"

  /// A device's configuration is one line; anything longer is not one.
  private static let largestFile = 64 * 1024

  /// Reads the administrator's file, such as `{"device_mode": "shared"}`.
  ///
  /// - Parameter path: Where the file is; a private device need not have one.
  /// - Throws: ``AuthenticationError`` when the file is there and says something else than `private` or `shared`, or when
  ///   somebody else than the administrator could have written it.
  public init(contentsOf path: String = standardFile) throws {
    try self.init(contentsOf: path, writtenBy: 0)
  }

  /// Reads the file as ``init(contentsOf:)`` does.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - administrator: Whose word counts; anybody else's file is refused.
  /// - Throws: ``AuthenticationError``.
  package init(contentsOf path: String, writtenBy administrator: UInt32) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw Self.wrong(path, "cannot be read") }
      self.init(mode: .privateDevice)
      return
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Self.wrong(path, "is not a regular file")
    }
    // Whoever can write it can make tokens outlive a session that was promised to leave none.
    guard status.st_uid == administrator, status.st_mode & 0o022 == 0 else {
      throw Self.wrong(
        path,
        "can be written by others than the administrator",
        remedy: .restrictToAdministrator(path: path)
      )
    }
    var bytes = [UInt8](repeating: 0, count: Self.largestFile + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0, count <= Self.largestFile else { throw Self.wrong(path, "cannot be read or is too large") }
    guard let members = try? JSON(parsing: bytes.prefix(count)).object else {
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

  private static func wrong(_ path: String, _ what: String, remedy: Remedy? = nil) -> AuthenticationError {
    AuthenticationError(
      .invalidConfiguration,
      "\(path) \(what)",
      reason: "device_configuration_invalid",
      remedy: remedy ?? .advice(#"it should contain {"device_mode": "shared"} or {"device_mode": "private"}"#)
    )
  }
}

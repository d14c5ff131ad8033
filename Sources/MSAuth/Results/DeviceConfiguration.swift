import FoundationEssentials
import Glibc
import Primitives

extension DeviceInformation {
  /// Where an administrator says that a device is shared.
  public static let standardFile = "/etc/msauth/device.json"

  /// A device's configuration is one line; anything longer is not one.
  private static let largestFile = 64 * 1024

  /// Reads the administrator's file, such as `{"device_mode": "shared"}`.
  ///
  /// - Parameter path: Where the file is; a private device need not have one.
  /// - Throws: ``AuthenticationError`` when the file is there and says something else than `private` or `shared`.
  public init(contentsOf path: String = standardFile) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw Self.wrong(path, "cannot be read") }
      self.init(mode: .privateDevice)
      return
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.largestFile + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0, count <= Self.largestFile else { throw Self.wrong(path, "cannot be read or is too large") }
    guard let members = try? JSONValue(parsing: bytes.prefix(count)).object else {
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

  private static func wrong(_ path: String, _ what: String) -> AuthenticationError {
    AuthenticationError(
      .invalidConfiguration,
      "\(path) \(what)",
      reason: "device_configuration_invalid",
      hint: "it should hold {\"device_mode\": \"shared\"} or {\"device_mode\": \"private\"}"
    )
  }
}

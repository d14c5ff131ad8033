import MSAuth

/// The mode of a device.
public enum MSALDeviceMode: UInt, Sendable {
  /// A device with one user.
  case `default`
  /// A device that several users share.
  case shared
}

/// Whether Apple's Platform SSO is set up.
public enum MSALPlatformSSOStatus: UInt, Sendable {
  /// It isn't set up; always on Linux.
  case notEnabled
  /// It is set up, but the device isn't registered.
  case enabledNotRegistered
  /// It is set up, and the device is registered.
  case enabledAndRegistered
}

/// Information about the device.
public final class MSALDeviceInformation: NSObject, Sendable {
  private let information: DeviceInformation
  private let brokerVersion: String?

  init(_ information: DeviceInformation, brokerVersion: String?) {
    (self.information, self.brokerVersion) = (information, brokerVersion)
  }

  /// The device's mode, as the administrator set it.
  public var deviceMode: MSALDeviceMode { information.mode == .shared ? .shared : .default }
  /// Whether Apple's extension for single sign-on is set up; never on Linux.
  public var hasAADSSOExtension: Bool { false }
  /// The version of the device's identity broker, as `brokerVersion`; empty without one.
  public var extraDeviceInformation: [AnyHashable: Any] { brokerVersion.map { ["brokerVersion": $0] } ?? [:] }
  /// Whether Apple's Platform SSO is set up; never on Linux.
  public var platformSSOStatus: MSALPlatformSSOStatus { .notEnabled }
  /// The sign-in method that the administrator prefers; none on Linux.
  public var configuredPreferredAuthMethod: MSALPreferredAuthMethod { .none }
}

/// Receives information about the device or an error.
public typealias MSALDeviceInformationCompletionBlock = (MSALDeviceInformation?, (any Error)?) -> Void

extension MSALPublicClientApplication {
  /// Reports whether the device is private or shared.
  @preconcurrency
  public func getDeviceInformation(
    with parameters: MSALParameters?,
    completionBlock: @escaping @Sendable (MSALDeviceInformation?, (any Error)?) -> Void
  ) {
    complete(completionBlock, on: parameters?.completionBlockQueue ?? .global()) {
      try await self.deviceInformation(with: nil)
    }
  }

  /// Reports whether the device is private or shared.
  public func deviceInformation(with parameters: MSALParameters?) async throws -> MSALDeviceInformation {
    let version = await application.brokerVersion()
    return try withNSErrors { MSALDeviceInformation(try application.deviceInformation(), brokerVersion: version) }
  }
}

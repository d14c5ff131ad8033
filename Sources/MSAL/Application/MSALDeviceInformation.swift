import Dispatch
public import Foundation
import MSAuth

/// The mode of a device.
public enum MSALDeviceMode: UInt, Sendable {
  /// One person's device.
  case `default`
  /// A device that changes hands.
  case shared
}

/// Whether Apple's Platform SSO is set up.
public enum MSALPlatformSSOStatus: UInt, Sendable {
  /// It is not; always so on Linux.
  case notEnabled
  /// It is, and the device is not registered.
  case enabledNotRegistered
  /// It is, and the device is registered.
  case enabledAndRegistered
}

/// What is known of the device.
public final class MSALDeviceInformation: NSObject, Sendable {
  private let record: DeviceInformation

  init(_ record: DeviceInformation) {
    self.record = record
  }

  /// The device's mode, as the administrator set it.
  public var deviceMode: MSALDeviceMode { record.mode == .shared ? .shared : .default }
  /// Whether a broker extends the system's sign-in; never, on Linux.
  public var hasAADSSOExtension: Bool { false }
  /// What a broker reports of the device; nothing, on Linux.
  public var extraDeviceInformation: [AnyHashable: Any] { [:] }
  /// Whether Apple's Platform SSO is set up; never, on Linux.
  public var platformSSOStatus: MSALPlatformSSOStatus { .notEnabled }
  /// The way of signing in that the administrator prefers; none, on Linux.
  public var configuredPreferredAuthMethod: MSALPreferredAuthMethod { .none }
}

/// Receives what is known of the device, or what went wrong.
public typealias MSALDeviceInformationCompletionBlock = (MSALDeviceInformation?, (any Error)?) -> Void

extension MSALPublicClientApplication {
  /// Reports whether the device is private or shared.
  ///
  /// - Parameters:
  ///   - parameters: Where the completion block runs; nil for any queue.
  ///   - completionBlock: Gets what is known, or an `NSError` when the administrator's file cannot be read.
  @preconcurrency
  public func getDeviceInformation(
    with parameters: MSALParameters?,
    completionBlock: @escaping @Sendable (MSALDeviceInformation?, (any Error)?) -> Void
  ) {
    let application = application
    CompletionQueue(parameters, default: .global()).finish {
      try nsError { MSALDeviceInformation(try application.deviceInformation()) }
    } _: { result in
      completionBlock(result.value, result.error)
    }
  }

  /// Reports whether the device is private or shared.
  ///
  /// - Parameter parameters: Has no effect here.
  /// - Returns: What is known.
  /// - Throws: `NSError` in ``MSALErrorDomain`` when the administrator's file cannot be read.
  public func deviceInformation(with parameters: MSALParameters?) async throws -> MSALDeviceInformation {
    try nsError { MSALDeviceInformation(try application.deviceInformation()) }
  }
}

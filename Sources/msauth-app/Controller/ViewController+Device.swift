import Dispatch
import MSAL

extension ViewController {
  /// The button “Get device info”.
  func getDeviceMode() {
    loadDeviceMode { deviceInformation, error in
      guard let deviceInfo = deviceInformation else {
        let reason = error.map { description(of: $0) } ?? "none was given"
        return self.updateLogging(text: "Device info not returned. Error: \(reason)")
      }
      let isSharedDevice = deviceInfo.deviceMode == .shared
      let modeString = isSharedDevice ? "shared" : "private"
      self.updateLogging(text: "Received device info. Device is in the \(modeString) mode.")
    }
  }

  /// Updates the device's mode, which decides whether sign-out includes the browser.
  func refreshDeviceMode() {
    loadDeviceMode { _, _ in }
  }

  private func loadDeviceMode(
    _ completion: @escaping @MainActor @Sendable (MSALDeviceInformation?, (any Error)?) -> Void
  ) {
    let msalParameters = MSALParameters()
    msalParameters.completionBlockQueue = DispatchQueue.main
    applicationContext?.getDeviceInformation(with: msalParameters) { deviceInformation, error in
      MainActor.assumeIsolated {
        if let mode = deviceInformation?.deviceMode { self.currentDeviceMode = mode }
        completion(deviceInformation, error)
      }
    }
  }
}

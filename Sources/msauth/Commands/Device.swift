import ArgumentParser
import MSAuth

struct Device: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "Print whether the device is private or shared.",
    discussion: """
      An administrator declares a device shared in /etc/msauth/device.json. Its users sign in one after another, and \
      signing out applies to every application.

      EXAMPLES
        $ msauth device
      """
  )

  @Flag(help: .json) var json = false

  func run() async throws {
    let device = try DeviceInformation(contentsOf: DeviceInformation.standardFile)
    if json { return try JSONResult(["device_mode": device.mode.rawValue]).print() }
    try Console.result("Device is in the \(device.mode.rawValue) mode.")
  }
}

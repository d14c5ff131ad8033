import ArgumentParser
import MSAuth

/// `msauth device`: whether the device is one person's or shared.
struct Device: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Tell whether the device is private or shared.")

  @OptionGroup var options: SharedOptions

  func run() throws {
    let device = try DeviceInformation(contentsOf: DeviceInformation.standardFile)
    if options.json {
      var output = JSONOutput("device")
      output.deviceMode = device.mode.rawValue
      try output.print()
      return
    }
    Console.result("Device is in the \(device.mode.rawValue) mode.")
  }
}

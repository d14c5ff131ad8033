import MSAuth

/// The first line of the remote end; the local end then sends ``RelayMessage/begin(arguments:)``.
enum RelayGreeting {
  /// Incremented when the two ends become incompatible.
  static let version: Int64 = 2
  static let member = "msauth_relay"
  static let sameVersion: Hint = "install the same version of msauth on both computers"
  /// Begins with a line break, since the login shell's output may lack one.
  static var line: [UInt8] { Array(("\n" + #"{"\#(member)":\#(version)}"#).utf8) }

  /// The greeting in a line that may begin with what the login shell printed, such as a terminal's title.
  static func found(in line: [UInt8]) -> [UInt8]? {
    guard let start = line.firstRange(of: Array(#"{"\#(member)":"#.utf8))?.lowerBound,
      let end = line[start...].firstIndex(of: UInt8(ascii: "}"))
    else { return nil }
    return Array(line[start...end])
  }
}

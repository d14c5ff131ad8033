import MSAuthCore
import MSAuthUnix

/// Reads desktop entries and browsers' lists of profiles, which are untrusted input.
struct DesktopFileReader {
  private static let maximumSize = 16 << 20

  /// Files, or parts of them, that can't be used, with the reason.
  var problems: [String] = []

  mutating func json(_ path: String) -> JSONValue? {
    guard let bytes = bytes(path) else { return nil }
    do {
      // Browsers may write duplicate members.
      let options = JSONValue.Options(maximumSize: Self.maximumSize, maximumDepth: 64, isLenient: true)
      return try JSONValue(parsing: bytes, options: options)
    } catch {
      problems.append("\(path.printable()) is skipped: \(error)")
      return nil
    }
  }

  /// `nil` if there is no file, or it is skipped.
  mutating func bytes(_ path: String) -> [UInt8]? {
    do throws(FileError) {
      return try readFile(at: path, limit: Self.maximumSize, requiring: .configuration).bytes
    } catch {
      if error.reason != .missing { problems.append("\(path.printable()) is skipped: it \(error.what)") }
      return nil
    }
  }
}

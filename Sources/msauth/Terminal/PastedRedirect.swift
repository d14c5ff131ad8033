import Glibc
import MSAuth
import MSAuthCore
import MSAuthUnix

/// The address that a browser elsewhere was redirected to, pasted at the terminal; it contains a code and isn't shown.
enum PastedRedirect {
  private static let maximumLength = 16 << 10

  static func reader() throws -> @Sendable (_ refusal: String?) async -> String? {
    guard Questions.canBeAsked else {
      throw AuthenticationError.usage(
        "--paste requires a terminal",
        hint: "run \(Invocation.login) --device-code, or --via from the computer with the browser"
      )
    }
    return { refusal in
      if let refusal {
        Console.say("rejected that address: \(refusal.printable())")
      } else {
        Console.say(
          "after the sign-in, your browser shows an address that it can't open; paste it here as a whole and press Enter"
        )
        Console.hint(
          "it isn't shown; it contains a code, so don't share it, and never paste an address that someone sent you"
        )
      }
      return await line()
    }
  }

  /// Reads a hidden line; `nil` at the end of the input, or if the task is canceled.
  private static func line() async -> String? {
    // A terminal in canonical mode limits lines to 4,095 bytes.
    guard Terminal.hideInput(gathersLines: false) else { return nil }
    defer { Terminal.restoreInput() }
    return await BackgroundThread.runAbandoning({ readLine() }, onCancel: Terminal.restoreInput) ?? nil
  }

  private static func readLine() -> String? {
    var line: [UInt8] = []
    while true {
      guard let byte = readInput(maximum: 1).first else { return nil }
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        let text = String(decoding: line, as: UTF8.self)
        if !text.isEmpty { return text }
      // The terminal's keys: end of input, delete a character, delete the line.
      case 0x04 where line.isEmpty: return nil
      case 0x08, 0x7F: if !line.isEmpty { line.removeLast() }
      case 0x15: line = []
      case UInt8(ascii: " "), UInt8(ascii: "\t"): break
      default: if line.count <= maximumLength { line.append(byte) }
      }
    }
  }
}

import Glibc
import MSAuth
import MSAuthUnix

/// The address that a browser elsewhere was redirected to, pasted at the terminal; it contains a code and isn't shown.
enum PastedRedirect {
  private static let maximumLength = 16 << 10

  static func reader() throws -> @Sendable (_ rejection: String?) async -> String? {
    guard Questions.canBeAsked else {
      let hint: Hint = "run \(command: Invocation.deviceLogin), or --via from the computer with the browser"
      throw AuthenticationError.usage("--paste requires a terminal", hint: hint)
    }
    return { rejection in
      if let rejection {
        Console.message("rejected that address: \(rejection.printable())")
      } else {
        let page = "your browser can't open the last page"
        Console.message("after you sign in, \(page); copy that page's whole address, paste it here and press Enter")
        let risk = "it contains a code, so don't share it, and never paste an address that you were sent"
        Console.hint("what you paste isn't shown; \(risk)")
      }
      return await line()
    }
  }

  /// Reads a hidden line; `nil` at the end of the input, or if the task is canceled.
  private static func line() async -> String? {
    // A terminal in canonical mode limits lines to 4,095 bytes.
    guard Terminal.hideInput(isCanonical: false) else { return nil }
    defer { Terminal.restoreInput() }
    return await BackgroundThread.runAbandoning({ readLine() }, onCancel: Terminal.restoreInput) ?? nil
  }

  private static func hasMoreInput() -> Bool {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&input, 1, 50) > 0
  }

  private static func readLine() -> String? {
    var line: [UInt8] = []
    while true {
      guard let byte = readStandardInput(maximum: 1).first else { return nil }
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        // An address that a terminal wrapped is copied with line breaks, and arrives at once.
        if !line.isEmpty, !hasMoreInput() { return String(decoding: line, as: UTF8.self) }
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

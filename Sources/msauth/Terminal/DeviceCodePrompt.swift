import FoundationEssentials
import MSAuth
import MSAuthDesktop

enum DeviceCodePrompt {
  /// Shows the code to enter on another device and, on a terminal, the time left.
  static func show(_ code: DeviceCode, timeout: Duration?) {
    let userCode = code.userCode.printable(limit: 100)
    let step = "open \(code.verificationURI.absoluteString) in any browser and enter the code"
    if Console.stderrIsTerminal {
      Console.message(step)
      StatusLine.writeAbove("\n    \(Style.code(grouped(userCode)))\n\n")
    } else {
      Console.message("\(step) \(userCode)")
    }
    if let complete = code.verificationURIComplete {
      Console.message("or open \(complete.absoluteString), which includes the code")
    }
    Console.message("the code expires in \(code.expiresIn.words); enter it only if you started this sign-in yourself")
    let limit = min(timeout ?? code.expiresIn, code.expiresIn)
    StatusLine.countDown(
      limit,
      waiting: "for the code to be entered",
      below: {
        await terminalQRCode(
          of: code.verificationURIComplete ?? code.verificationURI,
          isColored: Style.colorsMessages,
          maximumWidth: Terminal.columns,
          environment: ProcessInfo.processInfo.environment
        )
      }
    )
  }

  /// The code in groups of three or four, unless it is already grouped.
  private static func grouped(_ code: String) -> String {
    guard code.count > 5, code.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return code }
    let size = code.count.isMultiple(of: 3) ? 3 : 4
    return stride(from: 0, to: code.count, by: size)
      .map { String(code.dropFirst($0).prefix(size)) }
      .joined(separator: " ")
  }
}

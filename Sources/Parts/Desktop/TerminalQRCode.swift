package import FoundationEssentials

/// Draws an address as a QR code for a terminal, if `qrencode` is installed.
package func terminalQRCode(
  of address: URL,
  isColored: Bool,
  maximumWidth: Int,
  environment: [String: String]
) async -> String? {
  let options = ["-t", isColored ? "ANSIUTF8" : "UTF8", "-m", "2", "-o", "-"]
  let result = await runProgram("qrencode", options, input: address.absoluteString, environment: environment)
  guard let drawing = result?.output, result?.code == 0, !drawing.isEmpty else { return nil }
  // The blocks of one line are its width; color codes contain none.
  let width = drawing.prefix { $0 != "\n" }.count { $0 == "█" }
  return width > maximumWidth ? nil : drawing
}

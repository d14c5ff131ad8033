package import FoundationEssentials

/// Draws an address as a QR code for a terminal, where `qrencode` is installed.
package func terminalQRCode(
  of address: URL,
  isColored: Bool,
  maximumWidth: Int,
  environment: [String: String]
) async -> String? {
  let result = await runProgram(
    "qrencode",
    ["-t", isColored ? "ANSIUTF8" : "UTF8", "-m", "2", "-o", "-"],
    input: address.absoluteString,
    environment: environment
  )
  guard let drawing = result?.output, result?.code == 0, !drawing.isEmpty else { return nil }
  // Each line of blocks is as wide as the code; its colours have no blocks.
  let width = drawing.prefix { $0 != "\n" }.count { $0 == "█" }
  return width > maximumWidth ? nil : drawing
}

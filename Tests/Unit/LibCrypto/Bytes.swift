import FoundationEssentials

/// The bytes that hexadecimal digits name; white space is skipped.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The bytes that base64url text names.
func base64URL(_ text: String) -> [UInt8] {
  let standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 } + Array(repeating: "=", count: -text.count & 3)
  return Data(base64Encoded: String(standard)).map { [UInt8]($0) } ?? []
}

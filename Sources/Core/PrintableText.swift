extension String {
  /// The text made fit for a terminal or a log line: one line, no control, escape or direction-changing characters.
  ///
  /// A provider's error description or a display name could otherwise move the cursor, recolour the screen, or show
  /// a text in an order that it does not have.
  package func printable(limit: Int = 500) -> String {
    // As most text is.
    if utf8.count <= limit, utf8.allSatisfy({ $0 == 0x20 || $0.isASCIIVisible }) { return self }
    var kept = String.UnicodeScalarView()
    var count = 0
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        // White space that broke the line becomes a blank; anything else of the kind disappears.
        guard scalar.properties.isWhitespace, kept.last != " " else { continue }
        guard count < limit else { return String(kept) + "…" }
        kept.append(" ")
      case .format, .surrogate, .privateUse, .unassigned:
        continue
      default:
        guard count < limit else { return String(kept) + "…" }
        kept.append(scalar)
      }
      count += 1
    }
    return String(kept)
  }

  /// The text made fit for a terminal with its lines kept: control, escape and direction-changing characters are written
  /// as JSON escapes them.
  package var escapingControls: String {
    var escaped = String.UnicodeScalarView()
    let scalars = Array(unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      switch scalar.properties.generalCategory {
      case .control where scalar == "\n" || scalar == "\t": escaped.append(scalar)
      // A carriage return alone would let the rest of the line overwrite its beginning.
      case .control where scalar == "\r" && scalars.dropFirst(index + 1).first == "\n": escaped.append(scalar)
      case .control, .format, .lineSeparator, .paragraphSeparator:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          escaped += ("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).unicodeScalars
        }
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  /// The text with its first letter small, as a message or a part of one begins; one that begins with an abbreviation such
  /// as TLS or AADSTS50011 stays as it is.
  package var startingLowercase: String {
    let bytes = utf8.prefix(2)
    guard let first = bytes.first, first.asciiLowercased != first else { return self }
    if let second = bytes.dropFirst().first, second.isASCIIDigit || second.asciiLowercased != second { return self }
    return String(decoding: [first.asciiLowercased] + utf8.dropFirst(), as: UTF8.self)
  }

  /// The string in quotation marks, fit for a terminal, for a message that names it.
  package var quoted: String { "\"\(printable(limit: 200))\"" }
}

extension String {
  /// Whether no more than 30 combining marks follow each other (Stream-Safe Text Format, UAX #15 §13).
  ///
  /// Swift's `==`, `hasPrefix`, `contains` and hashing normalize, which takes the square of the length of such a sequence.
  package var isStreamSafe: Bool {
    // 0xCC begins U+0300, the first combining mark. Without an early end the compiler looks at many bytes at a time.
    let maximum = utf8.withContiguousStorageIfAvailable { $0.reduce(0) { max($0, $1) } }
    guard maximum ?? 0xFF >= 0xCC else { return true }
    var marks = 0
    for scalar in unicodeScalars {
      marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
      if marks > 30 { return false }
    }
    return true
  }
}

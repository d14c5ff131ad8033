import Glibc

extension String {
  /// One line without characters that move the cursor, recolor the screen or reorder text on a terminal.
  package func printable(limit: Int = 500) -> String {
    if utf8.count <= limit, utf8.allSatisfy({ $0 == 0x20 || $0.isASCIIVisible }) { return self }
    var kept = String.UnicodeScalarView()
    var count = 0
    for scalar in unicodeScalars {
      var shown = scalar
      if scalar.isInterpretedByTerminals {
        // A line break becomes a space; anything else is removed.
        guard scalar.properties.isWhitespace, kept.last != " " else { continue }
        shown = " "
      }
      if [.privateUse, .unassigned].contains(scalar.properties.generalCategory) { continue }
      guard count < limit else { return String(kept) + "…" }
      kept.append(shown)
      count += 1
    }
    return String(kept)
  }

  /// Escapes what a terminal interprets, apart from line breaks, in JSON's form: `\u001b`.
  package var escapingControls: String {
    var escaped = String.UnicodeScalarView()
    let scalars = Array(unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      switch scalar {
      case "\n", "\t": escaped.append(scalar)
      // After a carriage return alone, the rest would overwrite the line's beginning.
      case "\r" where scalars.dropFirst(index + 1).first == "\n": escaped.append(scalar)
      case _ where scalar.isInterpretedByTerminals:
        for unit in String(scalar).utf16 {
          escaped += ("\\u" + unit.hexadecimal).unicodeScalars
        }
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  /// For use inside a message; an abbreviation such as TLS or AADSTS50011 at the beginning stays as it is.
  package var startingLowercase: String {
    let bytes = utf8.prefix(2)
    guard let first = bytes.first, first.asciiLowercased != first else { return self }
    if let second = bytes.dropFirst().first, second.isASCIIDigit || second.asciiLowercased != second { return self }
    return String(decoding: [first.asciiLowercased] + utf8.dropFirst(), as: UTF8.self)
  }

  /// The string without blanks and quotes at its ends, which users paste with a value.
  package var unquoted: String {
    let marks = " \t\"'<>`“”„‘’‚«»".unicodeScalars
    let rest = unicodeScalars.drop(while: marks.contains)
    return rest.lastIndex { !marks.contains($0) }.map { String(rest[...$0]) } ?? ""
  }

  package var quoted: String { "\"\(printable(limit: 200))\"" }

  package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  /// Splits by bytes and keeps empty parts; as Characters, a separator and a combining mark after it are one.
  package func split(at separator: Unicode.Scalar, maxSplits: Int = .max) -> [String] {
    utf8.split(separator: UInt8(ascii: separator), maxSplits: maxSplits, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Replaces by bytes, even before a combining mark.
  package func replacingBytes(_ old: String, with new: String) -> String {
    String(decoding: Array(utf8).replacing(Array(old.utf8), with: Array(new.utf8)), as: UTF8.self)
  }
}

extension Unicode.Scalar {
  /// Whether it may move the cursor, recolor the screen or reorder text on a terminal.
  fileprivate var isInterpretedByTerminals: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

extension String {
  /// Whether at most 30 combining marks follow each other (UAX #15 §13): Swift normalizes more in quadratic time.
  package var isStreamSafe: Bool {
    // 0xCC begins U+0300, the first combining mark. The compiler vectorizes a loop without an early end.
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

extension String {
  /// Escaped for an element or a quoted attribute.
  package var escapedForHTML: String {
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension String {
  /// For usernames, Microsoft's IDs and scopes.
  package func isEqual(ignoringCase other: String) -> Bool { lowercased() == other.lowercased() }

  /// Compares UTF-8 bytes: OpenID Connect compares identifiers by code points (Core §2), Swift's `==` canonically.
  package func isIdentical(to other: String) -> Bool {
    utf8.count == other.utf8.count
      && utf8.withContiguousStorageIfAvailable { bytes in
        // `elementsEqual` would take a tenth of the time that reading a large token cache takes.
        other.utf8.withContiguousStorageIfAvailable {
          memcmp($0.baseAddress.unsafelyUnwrapped, bytes.baseAddress.unsafelyUnwrapped, bytes.count) == 0
        }
      } == true
  }
}

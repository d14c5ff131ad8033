import MSAuthCore

/// The parts of Entra's `error_description`.
struct ErrorDescription {
  /// The part for the user.
  let sentence: String
  /// The numbers of `AADSTSnnnnn` in the sentence, each once.
  let errorCodes: [Int]
  let traceID: String?
  let correlationID: String?

  /// Entra's longest sentences have about 400 characters.
  private static let sentenceLimit = 800

  init(_ text: String) {
    let line = text.printable(limit: 4096)
    // Entra writes these on separate lines, or on one.
    let trailers = ["Trace ID: ", "Correlation ID: ", "Timestamp: "]
    let cut = trailers.compactMap { line.firstRange(of: $0)?.lowerBound }.min() ?? line.endIndex
    var sentence = line[..<cut]
    while sentence.last == " " { sentence.removeLast() }
    self.sentence = String(sentence).printable(limit: Self.sentenceLimit)
    self.traceID = Self.word(after: "Trace ID: ", in: line)
    self.correlationID = Self.word(after: "Correlation ID: ", in: line)
    self.errorCodes = Self.numbers(in: sentence)
  }

  private static func word(after label: String, in line: String) -> String? {
    guard let start = line.firstRange(of: label)?.upperBound else { return nil }
    let word = line[start...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    return word.isEmpty || word.count > 64 ? nil : String(word)
  }

  private static func numbers(in sentence: Substring) -> [Int] {
    var numbers: [Int] = []
    for range in sentence.ranges(of: "AADSTS") {
      let digits = sentence[range.upperBound...].prefix { ("0"..."9").contains($0) }
      // Entra's numbers have five to seven digits; others may follow.
      guard (4...9).contains(digits.count), let number = Int(digits), !numbers.contains(number) else { continue }
      numbers.append(number)
    }
    return numbers
  }
}

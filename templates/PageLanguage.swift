internal import Core

/// The languages of the pages, and the choice among them.
enum PageLanguage {
  /// The languages that a browser's wish is held against, by the ranges that ask for them (RFC 4647).
  ///
  /// A region or script of its own goes before the language alone: `zh` without one mostly means Simplified Chinese,
  /// which the pages do not have.
  private static let texts: [(range: String, texts: PageTexts)] = [
    ("en", .english), ("de", .german), ("nl", .dutch), ("fr", .french), ("es", .spanish),
    ("pt", .brazilianPortuguese), ("pl", .polish), ("zh-hant", .traditionalChinese),
    ("zh-tw", .traditionalChinese), ("zh-hk", .traditionalChinese), ("zh-mo", .traditionalChinese),
  ]

  /// Bytes of `Accept-Language` that are looked at, and languages in it: browsers send about a hundred bytes.
  private static let (maximumBytes, maximumRanges) = (1024, 32)

  /// The words in the language that the browser prefers.
  ///
  /// - Parameter acceptLanguage: The value of `Accept-Language` (RFC 9110 §12.5.4); nil or malformed: English.
  /// - Returns: The first of its languages that the pages have, by weight; English where it has none of them.
  static func texts(for acceptLanguage: String?) -> PageTexts {
    guard let field = acceptLanguage, field.utf8.count <= maximumBytes else { return .english }
    let ranges = field.utf8.split(separator: UInt8(ascii: ",")).prefix(maximumRanges).compactMap(Range.init)
    // Equal weights stay in their order.
    let wanted = ranges.enumerated().sorted { ($0.element.weight, $1.offset) > ($1.element.weight, $0.offset) }
    for (_, range) in wanted where range.weight > 0 {
      let match = texts.first { range.tag == $0.range || range.tag.hasPrefix($0.range + "-") }
      if let match { return match.texts }
    }
    return .english
  }

  /// One language of the field, with its weight in thousandths.
  private struct Range {
    let tag: String
    let weight: Int

    init?(_ element: Substring.UTF8View) {
      let parts = element.split(separator: UInt8(ascii: ";")).map { part in
        String(decoding: part.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }, as: UTF8.self)
      }
      guard let tag = parts.first, !tag.isEmpty else { return nil }
      self.tag = tag.lowercased()
      guard parts.count > 1 else {
        weight = 1000
        return
      }
      guard parts[1].lowercased().hasPrefix("q="), let value = Double(parts[1].dropFirst(2)), (0...1).contains(value)
      else { return nil }
      weight = Int(value * 1000)
    }
  }
}

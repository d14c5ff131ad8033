internal import MSAuthCore

/// Chooses the pages' language by `Accept-Language` (RFC 9110 §12.5.4).
enum PageLanguage {
  /// Browsers send about a hundred bytes.
  private static let (maximumBytes, maximumRanges) = (1024, 32)

  /// The text in the first language, by weight, that the pages have; English if there is none.
  static func texts(for acceptLanguage: String?) -> PageTexts {
    guard let field = acceptLanguage, field.utf8.count <= maximumBytes else { return .english }
    let ranges = field.utf8.split(separator: UInt8(ascii: ",")).prefix(maximumRanges).compactMap(Range.init)
    // Swift's sort isn't guaranteed to be stable.
    let preferred = ranges.enumerated().sorted { ($0.element.weight, $1.offset) > ($1.element.weight, $0.offset) }
    for (_, range) in preferred where range.weight > 0 {
      let match = PageTexts.all.first { $0.ranges.contains { range.tag == $0 || range.tag.hasPrefix($0 + "-") } }
      if let match { return match }
    }
    return .english
  }

  /// A language range with its weight in thousandths.
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

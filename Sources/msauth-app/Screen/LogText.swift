import FoundationEssentials
import MSAuthCore

/// The newest log entries, sanitized for display.
struct LogText: Sendable {
  struct Entry: Sendable, Equatable {
    /// Increases with each entry, so that a page knows which ones it has shown.
    var number: Int
    var time: UnixTime
    var text: String
  }

  static let maximumEntries = 100
  /// More than a Graph profile has.
  static let maximumLines = 200
  static let maximumLineLength = 2000

  private(set) var entries: [Entry] = []
  private var count = 0

  /// Adds an entry; repeating the last text only updates its time.
  mutating func write(_ text: String, at time: UnixTime) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    var kept = lines.prefix(Self.maximumLines).map { String($0).printable(limit: Self.maximumLineLength) }
    if lines.count > kept.count { kept.append("…") }
    let text = kept.joined(separator: "\n")
    guard !text.isEmpty else { return }
    count += 1
    if entries.last?.text == text { entries.removeLast() }
    entries.append(Entry(number: count, time: time, text: text))
    if entries.count > Self.maximumEntries { entries.removeFirst() }
  }
}

extension LogText.Entry {
  var json: JSONValue { ["number": .number(.init(number)), "time": .number(.init(time)), "text": .string(text)] }
}

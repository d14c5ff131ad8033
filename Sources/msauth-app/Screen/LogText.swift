import FoundationEssentials
import Core

/// The log below the buttons: the newest entries, each made fit to be read.
struct LogText: Sendable {
  struct Entry: Sendable, Equatable {
    /// Rises with each entry, so that a page knows which it has shown.
    var number: Int
    /// When it was written, in Unix time.
    var time: UnixTime
    var text: String
  }

  /// Entries kept; older ones have been read.
  static let mostEntries = 100
  /// Lines and characters of a line that are kept of one entry: more than Graph's profile has, not what a server likes.
  static let mostLines = 200
  static let longestLine = 2000

  private(set) var entries: [Entry] = []
  private var count = 0

  /// Adds an entry.
  ///
  /// The last text again gets the new time only, and an empty one is nothing to read.
  mutating func write(_ text: String, at time: UnixTime) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    var kept = lines.prefix(Self.mostLines).map { String($0).printable(limit: Self.longestLine) }
    if lines.count > kept.count { kept.append("…") }
    let text = kept.joined(separator: "\n")
    guard !text.isEmpty else { return }
    count += 1
    if entries.last?.text == text { entries.removeLast() }
    entries.append(Entry(number: count, time: time, text: text))
    if entries.count > Self.mostEntries { entries.removeFirst() }
  }
}

extension LogText.Entry {
  var json: JSON { ["number": .number(.init(number)), "time": .number(.init(time)), "text": .string(text)] }
}

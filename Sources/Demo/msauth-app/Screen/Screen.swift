import MSAuthCore

/// The page's content; each change increments the revision and is sent to the waiting pages.
@MainActor
final class Screen {
  var username = "" { didSet { if username != oldValue { changed() } } }
  var canSignOut = false { didSet { if canSignOut != oldValue { changed() } } }
  var activity: Activity? { didSet { if activity != oldValue { changed() } } }
  private(set) var log = ScreenLog()
  private(set) var revision = 0

  struct Activity: Equatable {
    var text: String
    /// Whether it waits for the user in another tab.
    var canBeCancelled = false
  }

  /// Resumed by the next change.
  private var next = OneShot<Void>()

  func write(_ text: String, at time: UnixTime) {
    log.write(text, at: time)
    changed()
  }

  /// Waits until the screen differs from the revision that a page shows.
  func change(from revision: Int, atMost limit: Duration) async {
    guard revision == self.revision else { return }
    try? await withTimeout(limit) { [next] in try await next.value() }
  }

  private func changed() {
    revision += 1
    releaseAll()
  }

  func releaseAll() {
    next.resume()
    next = OneShot()
  }
}

extension Screen {
  /// As `app.js` reads it.
  var json: JSONValue {
    [
      "revision": .number(.init(revision)),
      "username": .string(username),
      "canSignOut": .bool(canSignOut),
      "activity": activity.map { .string($0.text) } ?? .null,
      "canCancel": .bool(activity?.canBeCancelled ?? false),
      "log": .array(log.entries.map(\.json)),
    ]
  }
}

/// The newest log entries, sanitized for display.
struct ScreenLog: Sendable {
  struct Entry: Sendable, Equatable {
    /// Increases with each entry, so that a page can skip entries it has shown.
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

extension ScreenLog.Entry {
  var json: JSONValue { ["number": .number(.init(number)), "time": .number(.init(time)), "text": .string(text)] }
}

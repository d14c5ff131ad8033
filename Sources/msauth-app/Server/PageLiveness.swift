/// Whether anybody still has the page open, so that the program can end with it.
///
/// Pure: the time comes in. It is that of a clock which stands still while the machine sleeps.
struct PageLiveness: Sendable {
  typealias Instant = SuspendingClock.Instant

  /// How long to wait for what.
  struct Limits: Sendable {
    /// For the page to be opened: browsers start slowly, and the person may have to paste the address.
    var opening: Duration = .seconds(300)
    /// After the last page has gone: loading it again takes a moment.
    var reload: Duration = .seconds(4)
    /// For a page to say anything.
    ///
    /// It asks for changes all the time, but browsers put hidden pages to sleep. A browser that was killed is noticed by
    /// this alone.
    var silence: Duration = .seconds(600)
  }

  /// Why it is over.
  enum End: Sendable, Equatable { case neverOpened, closed, silent }

  /// Pages remembered at once, open or left; more than a person opens.
  static let mostPages = 32

  private let limits: Limits
  private var pages: [String: Instant] = [:]
  /// Pages that are no more, in their order: what they sent last may come after their leave.
  private var departed: [String] = []
  private var emptySince: Instant
  private var wasOpened = false

  init(limits: Limits = Limits(), now: Instant) {
    self.limits = limits
    emptySince = now
  }

  /// The page was delivered; soon it will say its name.
  mutating func delivered(at now: Instant) {
    wasOpened = true
    emptySince = now
  }

  /// A page said something.
  mutating func heard(_ page: String, at now: Instant) {
    wasOpened = true
    guard !departed.contains(page), pages[page] != nil || pages.count < Self.mostPages else { return }
    pages[page] = now
  }

  /// A page said that it is leaving.
  mutating func left(_ page: String, at now: Instant) {
    pages[page] = nil
    departed = (departed + [page]).suffix(Self.mostPages)
    if pages.isEmpty { emptySince = now }
  }

  /// Whether it is over, and why.
  ///
  /// - Parameter now: The time.
  /// - Returns: nil while somebody is there or may still come.
  func end(at now: Instant) -> End? {
    guard wasOpened else { return emptySince.duration(to: now) >= limits.opening ? .neverOpened : nil }
    if pages.isEmpty { return emptySince.duration(to: now) >= limits.reload ? .closed : nil }
    return pages.values.allSatisfy { $0.duration(to: now) >= limits.silence } ? .silent : nil
  }
}

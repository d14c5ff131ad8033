/// Whether the page is still open in a browser, so that the program can end with it.
///
/// Pure: the caller passes the time, of a clock that stops while the machine sleeps.
struct PageLiveness: Sendable {
  typealias Instant = SuspendingClock.Instant

  /// The times to wait.
  struct Limits: Sendable {
    /// For the page to be opened, and for its first request: browsers start slowly, and the person may have to paste the
    /// address.
    var opening: Duration = .seconds(300)
    /// After the last page has gone: loading it again takes a moment.
    var reload: Duration = .seconds(4)
    /// For a request of an open page.
    ///
    /// Pages ask for changes all the time, but browsers suspend hidden pages. Only this limit notices a browser that was
    /// killed.
    var silence: Duration = .seconds(600)
  }

  /// Why the page counts as closed.
  enum End: Sendable, Equatable { case neverOpened, closed, silent }

  /// The maximum of pages remembered, open or left; more than a person opens.
  static let maximumPages = 32

  private let limits: Limits
  private var pages: [String: Instant] = [:]
  /// Pages that have left, in order: their last requests may arrive after the leave.
  private var departed: [String] = []
  /// Pages that know that the application has ended.
  private var informedPages: Set<String> = []
  private var emptySince: Instant
  private var wasOpened = false
  /// Whether a page was delivered whose first request has not come: on a busy machine that takes its time.
  private var isLoading = false

  init(limits: Limits = Limits(), now: Instant) {
    self.limits = limits
    emptySince = now
  }

  /// Records that the page was delivered.
  mutating func delivered(at now: Instant) {
    wasOpened = true
    isLoading = true
    emptySince = now
  }

  /// Records a request of a page.
  mutating func heard(_ page: String, at now: Instant) {
    wasOpened = true
    guard !departed.contains(page), pages[page] != nil || pages.count < Self.maximumPages else { return }
    isLoading = false
    pages[page] = now
  }

  /// Records that a page is being closed.
  mutating func left(_ page: String, at now: Instant) {
    pages[page] = nil
    departed = (departed + [page]).suffix(Self.maximumPages)
    if pages.isEmpty { emptySince = now }
  }

  /// Records that a page knows that the application has ended.
  mutating func informed(_ page: String) { informedPages.insert(page) }

  /// Whether an open page does not know yet that the application has ended.
  var hasUninformedPages: Bool { !informedPages.isSuperset(of: pages.keys) }

  /// Why the page counts as closed, if it does.
  ///
  /// - Parameter now: The time.
  /// - Returns: nil while a page is open or may still be opened.
  func end(at now: Instant) -> End? {
    guard wasOpened else { return emptySince.duration(to: now) >= limits.opening ? .neverOpened : nil }
    if pages.isEmpty {
      return emptySince.duration(to: now) >= (isLoading ? limits.opening : limits.reload) ? .closed : nil
    }
    return pages.values.allSatisfy { $0.duration(to: now) >= limits.silence } ? .silent : nil
  }
}

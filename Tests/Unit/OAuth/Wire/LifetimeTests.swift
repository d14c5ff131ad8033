import MSAuthCore
import MSAuthOAuth
import Testing

@Suite("Retry-After")
struct LifetimeTests {
  /// The end of the dates below: Wed, 21 Oct 2026 07:28:00 GMT.
  private static let end: UnixTime = 1_792_567_680

  @Test(
    "seconds are parsed with a limit",
    arguments: [
      (nil, nil), ("120", 120), (" 5 ", 5), ("0", 0), ("99999", Lifetime.retryAfterLimit), ("-1", nil), ("", nil),
      ("soon", nil),
    ] as [(String?, Int64?)]
  )
  func seconds(_ field: String?, _ seconds: Int64?) {
    #expect(Lifetime.retryAfter(field, date: "Wed, 21 Oct 2026 07:28:00 GMT", now: Self.end) == seconds)
  }

  @Test(
    "a date is relative to the response's date, otherwise to the local clock",
    arguments: [
      ("Wed, 21 Oct 2026 06:58:00 GMT", end + 7200, 1800), (nil, end - 1800, 1800), ("yesterday", end - 60, 60),
      ("Wed, 21 Oct 2026 07:28:00 GMT", 0, 0), ("Wed, 21 Oct 2026 07:30:00 GMT", 0, 0),
      (nil, end - 7200, Lifetime.retryAfterLimit), (nil, .min / 2, Lifetime.retryAfterLimit), (nil, .max, 0),
    ] as [(String?, UnixTime, Int64)]
  )
  func date(_ date: String?, _ now: UnixTime, _ seconds: Int64) {
    #expect(Lifetime.retryAfter("Wed, 21 Oct 2026 07:28:00 GMT", date: date, now: now) == seconds)
  }
}

import Foundation
import MSAuthCore
import Testing

@Suite("dates of HTTP")
struct HTTPDateTests {
  @Test("RFC 9110's own example, and days around leap days, are read")
  func dates() throws {
    #expect(unixTime(ofHTTPDate: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    for day in Array(stride(from: Int64(0), to: 40_000, by: 97)) + [11_016, 11_017, 20_512, 47_540, 47_541] {
      let time = day * 86_400 + 4242
      #expect(unixTime(ofHTTPDate: formatter.string(from: Date(timeIntervalSince1970: Double(time)))) == time)
    }
  }

  @Test(
    "what is no such date is none",
    arguments: [
      "", "Sun, 06 Nov 1994 08:49:37", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    ]
  )
  func none(_ string: String) {
    #expect(unixTime(ofHTTPDate: string) == nil)
  }
}

import MSAuthCore
import Testing

@testable import msauth_app

@Suite("the opening link and the cookie")
struct OneTimeLinkTests {
  private let ticket = Secret(Base64URL.encode([1, 2, 3]))
  private let cookie = Base64URL.encode([4, 5, 6])
  private var oneTimeLink: OneTimeLink { OneTimeLink(port: 8000, ticket: [1, 2, 3], session: [4, 5, 6]) }

  @Test("the link works once, and a wrong secret doesn't use it up")
  func once() {
    var oneTimeLink = oneTimeLink
    #expect(oneTimeLink.path == "/open/\(ticket.revealed)")
    #expect(oneTimeLink.exchange(Secret("")) == nil)
    #expect(oneTimeLink.exchange(Secret(ticket.revealed + "A")) == nil)
    #expect(oneTimeLink.exchange(ticket) != nil)
    #expect(oneTimeLink.exchange(ticket) == nil)
    #expect(oneTimeLink.path == nil)
  }

  @Test("scripts and other sites don't get the cookie")
  func attributes() {
    var oneTimeLink = oneTimeLink
    #expect(oneTimeLink.exchange(ticket) == "msauth-app-8000=\(cookie); Path=/; HttpOnly; SameSite=Strict")
  }

  @Test(
    "the cookie admits at any position",
    arguments: [
      (["msauth-app-8000=C"], true), (["a=b; msauth-app-8000=C; c=d"], true), (["a=b", "msauth-app-8000=C"], true),
      (["msauth-app-8000=other; msauth-app-8000=C"], true), (["a=b;msauth-app-8000=C"], true),
      ([], false), ([""], false), (["msauth-app-8000="], false), (["msauth-app-8000=CC"], false),
      (["msauth-app-8001=C"], false), (["xmsauth-app-8000=C"], false), (["msauth-app-8000"], false), (["C"], false),
      (["msauth-app-8000=c"], false), (["Msauth-App-8000=C"], false), (["msauth-app-8000=\"C\""], false),
    ]
  )
  func cookies(_ headers: [String], _ admitted: Bool) {
    let headers = headers.map { header in String(header.map { $0 == "C" ? "\u{1}" : $0 }) }
      .map { $0.split(separator: "\u{1}", omittingEmptySubsequences: false).joined(separator: cookie) }
    #expect(oneTimeLink.admits(headers) == admitted)
  }

  @Test("neither secret is printed")
  func printing() {
    let text = "\(oneTimeLink)" + String(reflecting: oneTimeLink)
    #expect(!text.contains(ticket.revealed) && !text.contains(cookie))
  }
}

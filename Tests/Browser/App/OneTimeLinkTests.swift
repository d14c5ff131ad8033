import Core
import Testing

@testable import msauth_app

@Suite("the opening link and the cookie")
struct OneTimeLinkTests {
  private let ticket = Secret(Base64URL.encode([1, 2, 3]))
  private let cookie = Base64URL.encode([4, 5, 6])
  private var oneTimeLink: OneTimeLink { OneTimeLink(port: 8000, ticket: [1, 2, 3], session: [4, 5, 6]) }

  @Test("the link is good once, and a wrong one does not use it up")
  func once() {
    var oneTimeLink = oneTimeLink
    #expect(oneTimeLink.openingPath == "/open/\(ticket.revealed)")
    #expect(oneTimeLink.enter(with: Secret("")) == nil)
    #expect(oneTimeLink.enter(with: Secret(ticket.revealed + "A")) == nil)
    #expect(oneTimeLink.enter(with: ticket) != nil)
    #expect(oneTimeLink.enter(with: ticket) == nil)
    #expect(oneTimeLink.openingPath == nil)
  }

  @Test("the cookie goes to no script and to no other site")
  func attributes() {
    var oneTimeLink = oneTimeLink
    #expect(oneTimeLink.enter(with: ticket) == "msauth-app-8000=\(cookie); Path=/; HttpOnly; SameSite=Strict")
  }

  @Test(
    "ours among the cookies lets in, wherever it stands",
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

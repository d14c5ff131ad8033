import MSAuthOAuth
import Testing

@testable import MSAuth

@Suite("A redirect that a person pastes")
struct PastedRedirectTests {
  private func parameters(of address: String, _ uri: String = "http://localhost/back") throws -> [String] {
    try RedirectTarget(uri, for: .microsoftCommon).parameters(of: address, port: 8400).map { "\($0.name)=\($0.value)" }
  }

  @Test("its parameters are those of the query, repeated ones too")
  func accepted() throws {
    let all = try parameters(of: "http://localhost:8400/back?code=a%2Bb&state=s&state=t")
    #expect(all == ["code=a+b", "state=s", "state=t"])
    #expect(try parameters(of: "http://LOCALHOST:8400/?code=a", "http://localhost") == ["code=a"])
    #expect(try parameters(of: "http://[::1]:8400/?code=a", "http://[::1]/") == ["code=a"])
  }

  @Test(
    "an address that is not the redirect URI's is refused",
    arguments: [
      "", "hello", "code=a&state=s", "http://localhost:8400/back", "http://localhost:8400/back?",
      "https://localhost:8400/back?code=a", "http://localhost:8401/back?code=a", "http://localhost/back?code=a",
      "http://127.0.0.1:8400/back?code=a", "http://localhost:8400/other?code=a", "http://localhost:8400/back/?code=a",
      "http://localhost:8400@evil.example/back?code=a", "http://localhost:8400/back?code=a#b", "file:///back?code=a",
      "http://localhost:8400/back?code=%zz", "http://localhost:8400/back?code=%00",
      "http://localhost:8400/back?code=" + String(repeating: "a", count: 17_000),
    ]
  )
  func refused(address: String) {
    #expect(throws: Refusal.self) { try parameters(of: address) }
  }
}

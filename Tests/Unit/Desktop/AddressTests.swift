import Foundation
import MSAuthCore
import Testing

@testable import MSAuthDesktop

@Suite struct AddressTests {
  @Test(
    "an invalid address opens nothing",
    arguments: [
      ("javascript:alert(1)", "only https"), ("file:///etc/passwd", "only https"), ("--help", "only https"),
      ("-x", "only https"), ("HTTPS://host/", "only https"), ("//host/", "only https"),
      ("https:///x", "the address has no valid host"),
      ("http://example.com/", "the address is http to another machine"),
      ("http://127.0.0.1@example.com/", "the address has a user part"),
      ("https://host/" + String(repeating: "a", count: WebURL.Policy.browser.maximumBytes), "the address is longer"),
    ]
  )
  func rejected(text: String, reason: String) async throws {
    let openers = try OpenerFixture()
    try openers.opener("mine")
    let url = try #require(URL(string: text))
    let message = await failure(openers.browser("mine"), url)?.message ?? ""
    #expect(message.hasPrefix(reason), "\(message)")
    #expect(openers.arguments("mine") == nil)
  }

  @Test(
    "shell characters are passed unchanged, without effect",
    arguments: [
      "https://host/?a=1&b=$(touch%20x)", "https://host/?q='x'", "https://host/;touch;x", "https://host/?a=%s%25s",
      "https://host/?a=*&b=~!", "https://host/-o?--x", "http://127.0.0.1:8080/", "http://localhost/", "http://[::1]:1/",
    ],
    [nil, "mine --open %s", "mine"]
  )
  func verbatim(text: String, command: String?) async throws {
    let openers = try OpenerFixture()
    try openers.opener("mine")
    try openers.opener("xdg-open")
    let url = try #require(URL(string: text))
    let name = try await openers.browser(command).open(url)
    #expect(openers.arguments(name)?.last == url.absoluteString)
    #expect(openers.arguments(name)?.count == (command?.contains("%s") == true ? 2 : 1))
  }

  @Test(
    "a command is split like a shell's",
    arguments: [
      ("firefox", ["firefox"]), ("  a  b\tc ", ["a", "b", "c"]), ("'a b' \"c 'd'\" e\\ f", ["a b", "c 'd'", "e f"]),
      ("a ''", ["a", ""]), ("a $HOME `id` ; b | c", ["a", "$HOME", "`id`", ";", "b", "|", "c"]), ("a'b'c", ["abc"]),
      ("a \u{E9}'\u{301} b'", ["a", "\u{E9}\u{301} b"]),
    ]
  )
  func words(text: String, words: [String]) {
    let command = BrowserCommand(text)
    #expect((command.map { [$0.program] + $0.arguments }) == words)
  }

  @Test(
    "a command without a program or with an open quote is invalid",
    arguments: ["", "  ", "'a", "a \"b", "a\\", "''"]
  )
  func noCommand(text: String) {
    #expect(BrowserCommand(text) == nil)
  }

  @Test(
    "%s is the address, %% a percent sign, and without %s the address is appended",
    arguments: [
      ("b", ["U"]), ("b %s", ["U"]), ("b --a=%s -z", ["--a=U", "-z"]), ("b 100%% x", ["100%", "x", "U"]),
      ("b %%s", ["%s", "U"]), ("b %s %s", ["U", "U"]), ("b %u", ["U"]), ("b --a=%U", ["--a=U"]), ("b %d", ["%d", "U"]),
      ("b %", ["%", "U"]),
    ]
  )
  func placeholders(command: String, expected: [String]) throws {
    let address = try WebURL(opening: #require(URL(string: "https://host/%73")))
    let arguments = try #require(BrowserCommand(command)).arguments(for: address)
    #expect(arguments == expected.map { $0.replacingOccurrences(of: "U", with: "https://host/%73") })
  }
}

import MSAuthCore
import Testing

@testable import MSAuthCache

@Suite("data of other programs")
struct FidelityTests {
  @Test("a field with endless combining marks is ignored and kept", arguments: ["target", "realm", "environment"])
  func combiningMarks(field: String) throws {
    var document = TokenCacheDocument.holding(grant())
    let marks = String(repeating: "\u{301}\u{316}", count: 50)
    document.amend(.accessToken, with: [field: .string(marks)])
    let read = try TokenCacheDocument(parsing: document.serialized())
    #expect(read.text == document.text && read.token() == nil)
  }

  @Test("unknown nodes, fields and malformed entries are written back unchanged")
  func unknown() throws {
    let foreign = #"""
      {
          "AccessToken": {
              "broken": "not an object",
              "empty": {}
          },
          "Future": [
              1,
              1.0,
              -0,
              1e400,
              123456789012345678901234567890123456789012345678901234567890,
              0.1,
              null,
              true,
              [],
              {},
              "a\"\\/\n\u0000\u007f\ud83d\ude00"
          ],
          "RefreshToken": null
      }
      """#
    let document = try TokenCacheDocument(foreign)
    #expect(document.text == foreign)
    var changed = document
    changed.add(grant())
    changed.wipe(matching: [.ada()])
    #expect(changed.root["Future"] == document.root["Future"])
    #expect(changed.entries(.accessToken) == document.entries(.accessToken))
  }

  @Test("the last of two equal members counts, as for MSAL Python")
  func duplicates() throws {
    #expect(try TokenCacheDocument(#"{"x": 1, "x": 2}"#).root["x"] == 2)
  }

  @Test("names that differ only in Unicode normalization stay separate")
  func normalization() throws {
    let foreign = #"""
      {
          "Future": {
              "e\u0301": "decomposed",
              "\u00e9": "composed"
          }
      }
      """#
    let document = try TokenCacheDocument(foreign)
    #expect(document.root["Future"]?.object?.count == 2)
    #expect(document.text == foreign)
  }

  @Test("a deeply nested foreign value doesn't grow when written back")
  func nesting() throws {
    let numbers = Array(repeating: "1", count: 32_000).joined(separator: ",")
    let foreign = String(repeating: "[", count: 120) + numbers + String(repeating: "]", count: 120)
    var document = try TokenCacheDocument(#"{"Future": \#(foreign)}"#)
    document.add(grant())
    #expect(document.text.contains(foreign.dropFirst(2).dropLast(2)))
    #expect(document.serialized().count < foreign.utf8.count + 4096)
  }

  @Test("a byte order mark is skipped")
  func byteOrderMark() throws {
    #expect(try TokenCacheDocument("\u{FEFF}{}") == TokenCacheDocument())
  }

  @Test(
    "an invalid cache is damaged, and the reason has the location",
    arguments: [
      "{", "}", "[]", "null", "\"\"", " ", "{}x", "{}{}", "{'a':1}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "[1,]",
      "{\"a\":01}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}", "{\"a\":-}", "{\"a\":Nan}", "{\"a\":tru}",
      "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\u12G4\"}", "{\"\\ud800\":1}",
      "{\"a\":\"\n\"}", "{\"a\":\"", "{\"a\":\"\\", "{\"a\":\"\\u", "\u{0}\u{0}\u{0}",
      "{\"AccessToken\":[]}", "{\"RefreshToken\":\"x\"}", "{\"IdToken\":1}", "{\"Account\":true}",
      "{\"AppMetadata\":[]}", String(repeating: "[", count: 100_000),
      "{\"a\":" + String(repeating: "{\"a\":", count: 200) + "1" + String(repeating: "}", count: 201),
    ]
  )
  func damaged(_ text: String) {
    let error = #expect(throws: AuthenticationError.self) { try TokenCacheDocument(text) }
    #expect(error?.reason == .damaged)
    #expect(error?.message.isEmpty == false)
  }

  @Test(
    "a lone surrogate affects only its own string, which is written back unchanged",
    arguments: [#"\ud800"#, #"\udc00"#, #"Ada \ud800\u0041"#, #"\ude00\ud83d"#, #"\ud83d\ud83d\ude00"#, #"\ud800\n"#]
  )
  func loneSurrogate(_ text: String) throws {
    var document = TokenCacheDocument.holding(
      grant { $0.account.name = "NAME" },
      grant { $0.account.homeAccountID = "bob.utid" }
    )
    document = try TokenCacheDocument(document.text.replacing("NAME", with: text))
    #expect(document.text.contains("\"name\": \"\(text)\"") || text.contains("u0041"))
    #expect(try TokenCacheDocument(document.text) == document)
    #expect(document.accounts(matching: .microsoft).allSatisfy { $0.name == nil })
    #expect(document.refreshTokens() == ["RT"] && document.token() != nil)

    let secret = try TokenCacheDocument(document.text.replacing(#""AT""#, with: "\"\(text)\""))
    #expect(secret.token() == nil, "an invalid string isn't a secret")
  }

  @Test("every proper prefix of a cache is damaged")
  func truncated() {
    let whole = TokenCacheDocument.holding(grant()).serialized()
    for length in stride(from: 1, to: whole.count, by: 7) {
      #expect(throws: AuthenticationError.self) { try TokenCacheDocument(parsing: Array(whole.prefix(length))) }
    }
  }

  @Test("invalid UTF-8 is damaged")
  func encoding() {
    #expect(throws: AuthenticationError.self) {
      try TokenCacheDocument(parsing: Array("{\"a\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8))
    }
  }
}

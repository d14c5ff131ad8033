import Core
import Testing

@Suite("JSON objects that are decoded when they are asked for")
struct UndecodedJSONTests {
  @Test(
    "have the same members, and are written the same",
    arguments: [
      #"{"a": {"b": {"c": "d", "n": [1, {"x": null}], "o": {"p": {"q": 1.50}}}}}"#,
      #"{"a": {"b": {}, "c": {"": ""}}, "d": {"e": [{"f": {"g": true}}]}}"#,
      // The last of two counts; a name counts as it is meant, not as it is spelled.
      #"{"a": {"b": {"c": 1, "d": 2, "c": 3}, "e": {"c": 1, "\u0063": 2, "f": "\ud83d\ude00"}}}"#,
      #"{"a": {"b": {"c": "\ud800", "n": NaN, "i": -Infinity, "ü": "é\"\\\n"}}}"#,
    ]
  )
  func fidelity(document: String) throws {
    let decoded = try JSON.object(parsing: document.utf8, options: options(decodedDepth: .max))
    for depth in 0...2 {
      let undecoded = try JSON.object(parsing: document.utf8, options: options(decodedDepth: depth))
      #expect(undecoded == decoded)
      #expect(JSON.object(undecoded).serialized() == JSON.object(decoded).serialized())
      for (name, entry) in decoded["a"]?.object ?? [:] {
        for (field, value) in entry.object ?? [:] { #expect(undecoded["a"]?[name]?[field] == value) }
        #expect(undecoded["a"]?[name]?["no such field"] == nil)
      }
    }
  }

  @Test(
    "are found by what stands in them, however it is spelled",
    arguments: [
      #"{"z": {"o": "me"}, "x": {"o": "\u006de"}, "w": {"o": "mee"}, "v": {"o": "m"}, "u": {"o": ["me"]}, "t": "me"}"#,
      // The last of two counts, among the members and in one.
      #"{"z": {"o": "me"}, "x": {"o": "me"}, "y": {"o": "me"}, "y": {"o": "you"}, "v": {"o": "me", "o": 1}}"#,
      #"{"x": {"o": "me"}, "\u007a": {"o": "me"}, "y": {"O": "me"}, "o": {"o": {"o": "me"}}, "w": {}, "v": null}"#,
      #"{"z": {"o": "you"}, "x": {"o": "you", "\u006f": "me"}, "z": {"o": "me"}, "y": {"o": "me\""}}"#,
    ]
  )
  func search(document: String) throws {
    for depth in [0, 1, 2, .max] {
      let root = try JSON.object(parsing: document.utf8, options: options(decodedDepth: depth))
      #expect(root.sorted(where: "o", is: "me").map(\.key) == ["x", "z"])
      #expect(root.sorted { $0["o"] == "me" }.map(\.key) == ["x", "z"])
      #expect(root.sorted.map(\.key) == root.keys.sorted())
    }
  }

  @Test(
    "have the strings that they have, and no others",
    arguments: [#"{"s": "a\"b", "é": "ü", "s2": "", "n": 1, "l": ["x"], "o": {"s": "x"}, "t": "x", "t": "y"}"#]
  )
  func strings(document: String) throws {
    for depth in [0, 1, .max] {
      let root = try JSON.object(parsing: document.utf8, options: options(decodedDepth: depth))
      let strings = [("s", "a\"b"), ("é", "ü"), ("s2", ""), ("t", "y")]
      for (name, string) in strings {
        #expect(root.has(name, string))
        for other in [string + "\"", string + "\\", "\"" + string, String(string.dropLast()) + "z"] {
          #expect(!root.has(name, other), "\(name): \(other)")
        }
      }
      for (name, string) in [("n", "1"), ("l", "x"), ("o", "x"), ("t", "x"), ("u", ""), ("s", "a"), ("é", "u\u{308}")] {
        #expect(!root.has(name, string))
      }
    }
  }

  @Test("are found by a name in any case of letters, also where one alone lower-cases to ASCII, or has escapes")
  func anyCase() throws {
    let document = #"""
      {"a": {"u": "KIM@x"}, "b": {"i": "kim@X", "u": 1}, "c": {"u": "\u212aim@x"}, "d": {"u": "\u006bim@x"},
      "e": {"u": "kim@xy"}, "f": {"u": "kim@"}, "g": {"u": "tim@x"}, "h": {"v": "kim@x"}, "i": "kim@x", "j": {},
      "k": {"u": "kim@x", "u": "tim@x"}}
      """#
    for depth in [0, 1, .max] {
      var options = options(decodedDepth: depth)
      options.limits.maximumMembers = 100
      let root = try JSON.object(parsing: document.utf8, options: options)
      let found = root.sorted(where: ["u", "i"], mayBe: "kim@x").filter { entry in
        ["u", "i"].contains { entry.value[$0]?.string?.lowercased() == "kim@x" }
      }
      #expect(found.map(\.key) == ["a", "b", "c", "d"])
    }
    // Of those that differ none is decoded.
    let root = try JSON.object(parsing: Array(#"{"g": {"u": "tim@x"}}"#.utf8), options: options(decodedDepth: 0))
    #expect(root.sorted(where: ["u"], mayBe: "kim@x").isEmpty)
  }

  @Test("a string ends, and what it must not have is found, wherever in it that stands")
  func everyPosition() throws {
    for length in 0..<200 {
      let text = String(repeating: "x", count: length)
      let whole = Array("{\"a\": \"\(text)\", \"b\": \"\(text)é\(text)\\\"\(text)\"}".utf8)
      let flaws: [([UInt8], JSON.ParseError.Reason)] = [
        (Array("{\"a\": \"\(text)\u{1}\(text)\"}".utf8), .expected("an escape for a control character")),
        (Array("{\"a\": \"\(text)".utf8), .unexpectedEnd),
        (Array("{\"a\": \"\(text)".utf8) + [0xC3] + Array("\(text)\"}".utf8), .notUTF8),
      ]
      for depth in [0, .max] {
        let root = try JSON.object(parsing: whole, options: options(decodedDepth: depth))
        #expect(root["a"]?.string == text && root["b"]?.string == "\(text)é\(text)\"\(text)")
        for (document, reason) in flaws {
          let error = #expect(throws: JSON.ParseError.self) {
            try JSON.object(parsing: document, options: options(decodedDepth: depth))
          }
          #expect(error?.reason == reason)
          if reason == flaws[0].1 { #expect(error?.offset == 7 + length) }
        }
      }
    }
  }

  @Test("of many that are found, those that a later one replaces are left out")
  func manyReplaced() throws {
    let members = (0..<30).map { index in
      let owner = index < 25 ? "me" : "you"
      return #""\#(index % 20)": {"o": "\#(owner)"}"#
    }
    var options = options(decodedDepth: 1)
    options.limits.maximumMembers = 100
    let root = try JSON.object(parsing: #"{"a": {\#(members.joined(separator: ","))}}"#.utf8, options: options)
    let found = try #require(root["a"]?.object?.sorted(where: "o", is: "me"))
    let names = Set(found.map(\.key))
    #expect(names == Set(["0", "1", "2", "3", "4"] + (10..<20).map { "\($0)" }))
    #expect(found.count == names.count)
  }

  @Test("are read once each, also where names have escapes at every depth")
  func nestedEscapes() throws {
    let depth = 100
    let document =
      String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: #","\u0062":2}"#, count: depth)
    var options = options(decodedDepth: 1)
    options.limits = JSON.Limits()
    options.limits.maximumDepth = depth
    let root = try JSON.object(parsing: document.utf8, options: options)
    #expect(root["b"] == 2)
    #expect(root["a"]?["a"]?["b"] == 2)
  }

  @Test("can be changed like others")
  func change() throws {
    let document = #"{"a": {"b": {"c": 1, "d": {"e": 2}}}}"#
    let root = try JSON.object(parsing: document.utf8, options: options(decodedDepth: 2))
    var entry = try #require(root["a"]?["b"]?.object)
    entry["c"] = "new"
    entry["f"] = true
    #expect(entry.removeValue(forKey: "d") == ["e": 2])
    #expect(entry == ["c": "new", "f": true])
    #expect(root["a"]?["b"] == ["c": 1, "d": ["e": 2]])
  }

  @Test(
    "are refused for what others are refused for, at the same place",
    arguments: [
      #"{"a": {"b": {"c": "d}}}"#, #"{"a": {"b": {"c": 01}}}"#, #"{"a": {"b": {"c" 1}}}"#, #"{"a": {"b": {"c": 1,}}}"#,
      #"{"a": {"b": {"\ud800": 1}}}"#, #"{"a": {"b": {"c": "\x"}}}"#, "{\"a\": {\"b\": {\"c\": \"12345678\u{1}\"}}}",
      #"{"a": {"b": {"c": [[[[[[[[1]]]]]]]]}}}"#, #"{"a": {"b": {"c": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}}}"#,
      #"{"a": {"b": {1: 2}}}"#, #"{"a": {"b": {"c": tru}}}"#, #"{"a": {"b": {"c": 1}}"#,
    ]
  )
  func refusal(document: String) {
    let decoded = failure(of: document, options(decodedDepth: .max))
    #expect(decoded != nil)
    for depth in 0...2 { #expect(failure(of: document, options(decodedDepth: depth)) == decoded) }
  }

  @Test("a string of bytes that are not UTF-8 is refused wherever it stands")
  func notUTF8() {
    let document = Array(#"{"a": {"b": {"c": "12345678"#.utf8) + [0xC3, 0x28] + Array(#""}}}"#.utf8)
    let error = #expect(throws: JSON.ParseError.self) {
      try JSON.object(parsing: document, options: options(decodedDepth: 2))
    }
    #expect(error?.reason == .notUTF8)
  }

  private func failure(of document: String, _ options: JSON.Options) -> JSON.ParseError? {
    do {
      _ = try JSON.object(parsing: document.utf8, options: options)
      return nil
    } catch {
      return error
    }
  }

  private func options(decodedDepth: Int) -> JSON.Options {
    var options = JSON.Options(
      limits: JSON.Limits(maximumDepth: 10, maximumMembers: 14),
      duplicateNames: .lastWins,
      allowsLoneSurrogates: true,
      allowsNonFiniteNumbers: true,
      allowsLongCombiningSequences: true
    )
    options.decodedDepth = decodedDepth
    return options
  }
}

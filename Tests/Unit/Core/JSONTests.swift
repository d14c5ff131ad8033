@testable import MSAuthCore
import TestSupport
import Testing

@Suite("JSON: parsing (RFC 8259)")
struct JSONTests {
  static let cache = JSONValue.Options(isLenient: true)

  private func parse(_ document: String, _ options: JSONValue.Options = .strict) throws(JSONValue.ParseError)
    -> JSONValue
  {
    try JSONValue(parsing: document.utf8, options: options)
  }

  private func failure(_ document: String, _ options: JSONValue.Options) -> JSONValue.ParseError? {
    Result { () throws(JSONValue.ParseError) in try parse(document, options) }.failure
  }

  static let accepted: [(document: String, value: JSONValue)] = [
    ("null", .null), (" true\r\n\t", true), ("false", false), ("\"\"", ""), ("[]", []), ("{}", [:]),
    ("[ ]", []), ("{ }", [:]), ("[1, 2 ,3]", [1, 2, 3]), (#"{"a":{"b":[null]}}"#, ["a": ["b": [.null]]]),
    (#"{"":1}"#, ["": 1]), ("0", 0), ("-12", -12), ("9223372036854775807", 9_223_372_036_854_775_807),
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "A\u{e9}€"),
    (#""\ud83d\ude00""#, "😀"), ("\"é€😀\"", "é€😀"), (#""\u0000""#, "\0"), ("\"\u{7f}\"", "\u{7f}"),
    (#"{"\u0061":1}"#, ["a": 1]), (#""a\u0301""#, "a\u{301}"), ("\u{feff} 1", 1),
  ]

  @Test("a valid document is accepted", arguments: accepted)
  func reads(document: String, value: JSONValue) throws {
    #expect(try parse(document) == value)
    #expect(try parse(document, Self.cache) == value)
  }

  static let rejected = [
    "", " ", "nul", "nulll", "True", "NaN", "Infinity", "-Infinity", "undefined", "'a'", "a", "//", "/**/1",
    "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1;2]", "[\"a\"", "{\"a\"", "{\"a\":", "{\"a\":1",
    "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\"::1}", "{'a':1}",
    "1 2", "[] []", "{}x", "\u{feff}", "+1", "01", "-01", "-", ".5", "5.", "1.e1", "1e", "1e+", "1E-", "0x1", "1_0",
    "--1", "1.2.3", "\"", "\"a", "\"\\", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\U0041\"", "\"\t\"",
    "\"\n\"", "\"\0\"", "\0", "1\0", "[1]\u{0c}", "\u{a0}1", "{\"\\ud800\":1}",
  ]

  @Test("an invalid document is rejected", arguments: rejected)
  func rejects(document: String) {
    #expect(throws: JSONValue.ParseError.self) { try parse(document) }
  }

  @Test("invalid UTF-8 is rejected in names and values, with and without escapes")
  func notUTF8() {
    let invalid: [[UInt8]] = [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80]]
    for bytes in invalid {
      for escape in ["", "\\n", "\\ud800"] {
        let value = Array("\"".utf8) + bytes + Array("\(escape)\"".utf8)
        #expect(throws: JSONValue.ParseError.self) { try JSONValue(parsing: value, options: Self.cache) }
        #expect(throws: JSONValue.ParseError.self) {
          try JSONValue(parsing: Array("{".utf8) + value + Array(":1}".utf8))
        }
      }
    }
    // UTF-16 and UTF-32 (RFC 8259 §8.1).
    #expect(throws: JSONValue.ParseError.self) { try JSONValue(parsing: [0x5B, 0, 0x5D, 0]) }
    #expect(throws: JSONValue.ParseError.self) { try JSONValue(parsing: [0xFE, 0xFF, 0, 0x31]) }
  }

  @Test("an error has its reason and byte offset")
  func errors() {
    let cases: [(document: String, reason: JSONValue.ParseError.Reason, offset: Int)] = [
      ("[1,]", .expected("a value"), 3), ("{\"a\" 1}", .expected("a colon"), 5), ("[1", .unexpectedEnd, 2),
      ("{\"a\":1,\"a\":2}", .duplicateName("a"), 7), ("1 2", .expected("the end"), 2),
      ("{\"\\ud800\":1}", .loneSurrogate, 1),
    ]
    for (document, reason, offset) in cases {
      let error = #expect(throws: JSONValue.ParseError.self) { try parse(document) }
      #expect(error?.reason == reason && error?.offset == offset, "\(document): \(String(describing: error))")
    }
    #expect(throws: JSONValue.ParseError.self) { try JSONValue.object(parsing: "[]".utf8) }
  }

  @Test(
    "a lone surrogate makes only its own string invalid, which is written back",
    arguments: [JSONValue.Options.strict, cache]
  )
  func loneSurrogates(_ options: JSONValue.Options) throws {
    let value = try parse(#"["x\ud800é","\udc00\ud800"]"#, options)
    #expect(value == [.invalidString([0x78, 0xD800, 0xE9]), .invalidString([0xDC00, 0xD800])])
    #expect(value.serializedString() == #"["x\ud800\u00e9","\udc00\ud800"]"#)
    #expect(try JSONValue(parsing: value.serialized(), options: options) == value)
    #expect(throws: JSONValue.ParseError.self) { try parse(#"{"\ud800":1}"#, options) }
  }

  @Test("a repeated name is rejected at every depth, at its first repetition; a cache has its last value")
  func duplicates() throws {
    let distinct = (0..<20).map { "\"\($0)\":\($0)" }.joined(separator: ",")
    let many = distinct + "," + (20..<30).map { "\"\($0 - 20)\":\($0)" }.joined(separator: ",")
    let cases = [
      (#"{"a":1,"\u0061":2}"#, "a", 7), (#"[{"b":{"a":1,"c":0,"a":1}}]"#, "a", 19),
      (#"{"b":1,"a":1,"a":2,"b":2}"#, "a", 13), ("{\(many)}", "0", distinct.utf8.count + 2),
    ]
    for (document, name, offset) in cases {
      let error = #expect(throws: JSONValue.ParseError.self) { try parse(document) }
      #expect(error?.reason == .duplicateName(name) && error?.offset == offset, "\(document): \(error?.offset ?? -1)")
    }
    let object = try #require(try parse("{\(many)}", Self.cache).object)
    #expect(object.count == 20 && object["0"] == 20 && object["9"] == 29 && object["10"] == 10)
  }

  @Test("a string's end and its invalid characters are found at every position")
  func everyPosition() throws {
    for length in 0..<200 {
      let text = String(repeating: "x", count: length)
      let value = try parse("{\"a\":\"\(text)\",\"b\":\"\(text)é\(text)\\\"\(text)\"}")
      #expect(value == ["a": .string(text), "b": .string("\(text)é\(text)\"\(text)")])
      let rejected: [([UInt8], JSONValue.ParseError.Reason, Int)] = [
        (Array("[\"\(text)\u{1}\(text)\"]".utf8), .expected("an escape for a control character"), 2 + length),
        (Array("[\"\(text)".utf8), .unexpectedEnd, 2 + length),
        (Array("[\"\(text)".utf8) + [0xC3] + Array("\(text)\"]".utf8), .notUTF8, 2),
      ]
      for (document, reason, offset) in rejected {
        let error = #expect(throws: JSONValue.ParseError.self) { try JSONValue(parsing: document) }
        #expect(error?.reason == reason && error?.offset == offset)
      }
    }
  }

  @Test("a lenient parser rejects the same syntax errors as a strict one")
  func lenientErrors() {
    for document in Self.rejected {
      guard let lenient = failure(document, Self.cache) else { continue }
      #expect(failure(document, .strict) == lenient || document.contains("\\u"), "\(document)")
    }
  }

  @Test("a wide object is parsed in linear time except for sorting")
  func wide() throws {
    let members = (0..<100_000).map { "\"\($0)\":0" }.joined(separator: ",")
    #expect(try parse("{\(members)}").object?.count == 100_000)
  }

  @Test("names and strings are compared as bytes: NFC and NFD differ")
  func bytes() throws {
    let object = try JSONValue.object(parsing: "{\"\u{e9}\":1,\"e\u{301}\":2}".utf8)
    #expect(object.count == 2 && object["\u{e9}"] == 1 && object["e\u{301}"] == 2)
    #expect(JSONValue.string("\u{e9}") != JSONValue.string("e\u{301}"))
    #expect(object.sorted.map(\.value) == [2, 1])
  }

  @Test("limits of size, depth and members are exact")
  func limits() throws {
    let options = JSONValue.Options(maximumSize: 12, maximumDepth: 3, maximumMembers: 5)
    let rows: [(String, JSONValue.ParseError.Reason?)] = [
      ("[[[1]],22,3]", nil), ("[[[1]],22,3] ", .tooLarge), ("[[[[]]]]", .tooDeep), ("[{\"a\":[{}]}]", .tooDeep),
      ("[1,1,1,1,1,1", .tooManyMembers),
    ]
    for (document, reason) in rows { #expect(failure(document, options)?.reason == reason, "\(document)") }
    #expect(failure(String(repeating: "[", count: 1 << 20), .strict) != nil)
  }

  @Test("a name with a quarter megabyte of alternating combining marks is parsed like any other")
  func hostileNames() throws {
    // Swift's String normalizes before hashing or comparing, which is quadratic for such a name.
    let marks = String(repeating: "\u{301}\u{316}", count: 60_000)
    let options = JSONValue.Options(isLenient: true)
    let object = try JSONValue.object(parsing: "{\"\(marks)\":1,\"\(marks)x\":2}".utf8, options: options)
    #expect(object.count == 2 && object[marks] == 1)
    #expect(try parse("{\"\(marks)\":1,\"\(marks)\":2}", options) == [marks: 2])
    // A name is decoded once, however many colons follow it.
    #expect(throws: JSONValue.ParseError.self) {
      try parse("{\"\(marks)\\n\"" + String(repeating: ":", count: 10_000), options)
    }
  }

  @Test(
    "a string with more than 30 combining marks in a row is invalid, since Swift compares it in quadratic time",
    arguments: ["\u{301}", "\u{5B0}", "\u{1D165}", #"\u0301"#]
  )
  func combiningMarks(mark: String) throws {
    for (count, isAccepted) in [(30, true), (31, false)] {
      let string = "\"a" + String(repeating: mark, count: count) + "a" + String(repeating: mark, count: 30) + "\""
      for options in [.strict, Self.cache] {
        let value = try parse(string, options)
        #expect((value.string != nil) == isAccepted, "\(count)")
        #expect(try parse(value.serializedString(), options) == value, "\(count)")
      }
      #expect(((try? parse("{\(string):1}")) != nil) == isAccepted, "\(count)")
      #expect((try? parse("{\(string):1}", Self.cache)) != nil)
    }
  }
}

@Suite("JSON: objects")
struct JSONObjectTests {
  @Test("a member is replaced in place, added last, and removed")
  func change() throws {
    var object = try JSONValue.object(parsing: #"{"a":1,"b":{"c":2},"d":3}"#.utf8)
    object["b"] = "new"
    object["e"] = true
    #expect(object.removeValue(forKey: "a") == 1 && object.removeValue(forKey: "a") == nil)
    object["d"] = nil
    #expect(object.keys == ["b", "e"] && object == ["e": true, "b": "new"])
    #expect(object.hashValue == (["e": true, "b": "new"] as JSONValue.Object).hashValue)
    #expect(object != ["e": true] && object != ["e": true, "b": "old"])
    #expect(object.merging(["b": 1, "f": 2]) == ["b": 1, "e": true, "f": 2])
  }
}

@Suite("JSON: numbers")
struct JSONNumberTests {
  static let lexemes = [
    "0", "-0", "1.0", "1.50", "-1E+2", "1e128", "1e-400", "123456789012345678901234567890.5", "0.1e1", "1E400",
  ]

  @Test("a number keeps its spelling", arguments: lexemes)
  func spelling(lexeme: String) throws {
    #expect(try JSONValue(parsing: lexeme.utf8).serializedString() == lexeme)
  }

  static let integers: [(lexeme: String, integer: Int64?, truncated: Int64?)] = [
    ("0", 0, 0), ("-0", 0, 0), ("0.0e9", 0, 0), ("12", 12, 12), ("1.0", 1, 1), ("1e3", 1000, 1000), ("12e-1", nil, 1),
    ("120e-1", 12, 12), ("1.5", nil, 1), ("-1.5", nil, -1), ("0.9", nil, 0), ("5e-400", nil, 0),
    ("9223372036854775807", .max, .max), ("-9223372036854775808", .min, .min), ("9223372036854775808", nil, nil),
    ("9223372036854775807.5", nil, .max), ("1e19", nil, nil), ("1e99999999999999999999", nil, nil),
    ("0.0000001e10", 1000, 1000), ("1e-99999999999999999999", nil, 0), ("1700000000.25", nil, 1_700_000_000),
  ]

  @Test("a number is converted to an integer, exactly or truncated", arguments: integers)
  func asInteger(lexeme: String, integer: Int64?, truncated: Int64?) throws {
    let number = try #require(try JSONValue(parsing: lexeme.utf8).number)
    #expect(number.integer == integer)
    #expect(number.truncated == truncated)
  }

  @Test("a number is converted to and from a Double")
  func doubles() throws {
    #expect(try JSONValue(parsing: "1e400".utf8).double == .infinity)
    #expect(try JSONValue(parsing: "-0.25".utf8).double == -0.25)
    #expect(JSONValue.Number(Double.infinity) == nil && JSONValue.Number(Double.nan) == nil)
    #expect(JSONValue.Number(3.0)?.lexeme == "3")
    for double in [0.1, -1e300, 5e-300, 1e22] {
      let lexeme = try #require(JSONValue.Number(double)).lexeme
      #expect(try JSONValue(parsing: lexeme.utf8).double == double)
    }
  }
}

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
    let undecoded = try JSON.object(parsing: document.utf8, options: options(decodedDepth: 2))
    #expect(undecoded == decoded)
    #expect(JSON.object(undecoded).serialized() == JSON.object(decoded).serialized())
    for (name, entry) in decoded["a"]?.object ?? [:] {
      for (field, value) in entry.object ?? [:] { #expect(undecoded["a"]?[name]?[field] == value) }
      #expect(undecoded["a"]?[name]?["no such field"] == nil)
    }
  }

  @Test("names with escapes cost no more at each level of nesting", .timeLimit(.minutes(1)))
  func nestedEscapes() throws {
    var options = options(decodedDepth: 2)
    options.limits = JSON.Limits(maximumDepth: 128)
    let levels = 120
    let entry = String(repeating: #"{"a":"#, count: levels) + "0" + String(repeating: #","\u0062":1}"#, count: levels)
    let root = try JSON.object(parsing: #"{"x": {"y": \#(entry)}}"#.utf8, options: options)
    #expect(root["x"]?["y"]?["b"] == 1)
    #expect(root["x"]?["y"]?["a"]?["a"]?["b"] == 1)
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
    #expect(failure(of: document, options(decodedDepth: 2)) == decoded)
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

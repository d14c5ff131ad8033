@testable import MSAuthCore
import Testing

@Suite("JSON: writing")
struct JSONWritingTests {
  let value: JSONValue = ["b": [1, [2, ["c": 3]], []], "a": [:], "é": "\u{1}\"\\/\n\u{7f}😀"]

  @Test("compact: no spaces, sorted members, minimal escapes")
  func compact() throws {
    #expect(value.serializedString() == #"{"a":{},"b":[1,[2,{"c":3}],[]],"é":"\u0001\"\\/\n"# + "\u{7f}😀\"}")
    #expect("\(value)" == value.serializedString())
    #expect(try JSONValue(parsing: value.serialized()) == value)
  }

  @Test("output doesn't grow with nesting depth")
  func depth() throws {
    let deep =
      String(repeating: "[", count: 120) + String(repeating: "1,", count: 1000) + "1"
      + String(repeating: "]", count: 120)
    let value = try JSONValue(parsing: deep.utf8, options: .init(maximumDepth: 128))
    #expect(value.serialized(.init(indentation: 4, indentedLevels: 3)).count < deep.utf8.count + 100)
  }

  @Test("original order and number spelling")
  func layout() throws {
    let document = #"{"b":[1.50,{"z":1e2,"a":[]}],"a":{},"\u00e9":"\n"}"#
    let format = JSONValue.Format(indentation: 2, sortsMembers: false)
    let expected = """
      {
        "b": [
          1.50,
          {
            "z": 1e2,
            "a": []
          }
        ],
        "a": {},
        "é": "\\n"
      }
      """
    #expect(try JSONValue(parsing: document.utf8).serializedString(format) == expected)
  }

  @Test("members are sorted by bytes, like Python's sort_keys")
  func order() throws {
    let object: JSONValue = ["\u{ffff}": 1, "😀": 2, "Z": 3, "a": 4, "": 5]
    #expect(object.serializedString() == "{\"\":5,\"Z\":3,\"a\":4,\"\u{ffff}\":1,\"😀\":2}")
  }

  @Test("Python's nonstandard numbers are accepted where allowed, kept unchanged, and aren't integers")
  func nonFiniteNumbers() throws {
    let text = #"{"a":NaN,"b":[Infinity,-Infinity,-1],"c":1}"#
    let options = JSONValue.Options(isLenient: true)
    let value = try JSONValue(parsing: text.utf8, options: options)
    #expect(value.serialized() == Array(text.utf8))
    #expect(value["a"]?.integer == nil && value["a"]?.number?.truncated == nil && value["a"]?.double?.isNaN == true)
    #expect(value["b"]?.array?.map(\.double) == [.infinity, -.infinity, -1])
    #expect(value["b"]?.array?.map(\.integer) == [nil, nil, -1])
    for (document, options) in [(text, .strict), (#"[Nan]"#, options), (#"[-NaN]"#, options), (#"[Inf]"#, options)] {
      #expect(throws: JSONValue.ParseError.self) { try JSONValue(parsing: document.utf8, options: options) }
    }
  }
}

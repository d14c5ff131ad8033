import Testing

@testable import MSAuthCore

@Suite("editing one member of a user's document")
struct JSONEditTests {
  private static let laidOut = """
    {
      "b" : 1,

      "profiles": {
        "work": { "x": "ä" },
        "empty": {}
      },
      "a":[1, 2]
    }

    """

  @Test(
    "the member is set, added in its neighbors' layout, or removed, and the rest is unchanged",
    arguments: [
      (laidOut, ["b"], "two", laidOut.replacing("\"b\" : 1", with: "\"b\" : \"two\"")),
      (laidOut, ["a"], nil, laidOut.replacing(",\n  \"a\":[1, 2]", with: "")),
      (laidOut, ["b"], nil, laidOut.replacing("\"b\" : 1,\n\n  ", with: "")),
      (laidOut, ["c"], "x", laidOut.replacing("[1, 2]", with: "[1, 2],\n  \"c\":\"x\"")),
      (laidOut, ["profiles", "work", "x"], "y", laidOut.replacing("\"ä\"", with: "\"y\"")),
      (laidOut, ["profiles", "work", "y"], "z", laidOut.replacing("\"ä\"", with: "\"ä\", \"y\": \"z\"")),
      (laidOut, ["profiles", "work", "x"], nil, laidOut.replacing("{ \"x\": \"ä\" }", with: "{}")),
      (
        laidOut, ["profiles", "empty", "y"], "z",
        laidOut.replacing("\"empty\": {}", with: "\"empty\": {\n      \"y\": \"z\"\n    }")
      ),
      (
        laidOut, ["profiles", "new", "y"], "z",
        laidOut.replacing("\"empty\": {}", with: "\"empty\": {},\n    \"new\": {\n      \"y\": \"z\"\n    }")
      ),
      ("{}\n", ["a"], "x", "{\n  \"a\": \"x\"\n}\n"),
      ("{}", ["p", "q", "a"], "x", "{\n  \"p\": {\n    \"q\": {\n      \"a\": \"x\"\n    }\n  }\n}"),
      ("\u{feff}{\"a\": 1}", ["a"], "x", "\u{feff}{\"a\": \"x\"}"),
      (#"{"a": 1}"#, ["b"], "x", #"{"a": 1, "b": "x"}"#), (#"{"a":1,"b":2}"#, ["c"], "x", #"{"a":1,"b":2,"c":"x"}"#),
      (#"{"a" : 1}"#, ["b"], "x", #"{"a" : 1, "b" : "x"}"#),
      (#"{"a": 1}"#, ["p", "b"], "x", #"{"a": 1, "p": {"b":"x"}}"#), (#"{"a": 1}"#, ["a"], nil, "{}"),
      ("{\"p\": null}", ["p", "b"], "x", "{\"p\": {\n  \"b\": \"x\"\n}}"),
      (#"{"p": null}"#, ["p", "b"], nil, #"{"p": null}"#),
      (#"{"p": {}}"#, ["p", "b"], "x", #"{"p": {"b": "x"}}"#), (#"{"a": 1}"#, ["b"], nil, #"{"a": 1}"#),
      (#"{"\u0061": 1, "b": {"}": "{"}}"#, ["a"], "x", #"{"\u0061": "x", "b": {"}": "{"}}"#),
    ] as [(String, [String], String?, String)]
  )
  func changed(document: String, path: [String], value: String?, expected: String) throws {
    let result = try JSONValue.setting(path, to: value.map { .string($0) }, in: Array(document.utf8))
    #expect(String(decoding: result, as: UTF8.self) == expected)
    var member: JSONValue? = try JSONValue(parsing: result)
    for name in path { member = member?[name] }
    #expect(member?.string == value)
  }

  @Test("a value that isn't an object isn't replaced", arguments: [#"{"p": 1}"#, "[]", "{"])
  func rejected(document: String) {
    #expect(throws: JSONValue.ParseError.self) { try JSONValue.setting(["p", "a"], to: "x", in: Array(document.utf8)) }
  }

  @Test(
    "members are found with their lines, or those around them",
    arguments: [
      (["b"], 2), (["profiles"], 4), (["a"], 8), (["profiles", "work"], 5), (["profiles", "empty"], 6),
      (["b", "x"], 2), (["profiles", "x", "y"], 4), (["x", "b"], nil), ([], nil),
    ] as [([String], Int?)]
  )
  func lines(path: [String], line: Int?) {
    #expect(JSONValue.line(ofMemberAt: path, in: Array(Self.laidOut.utf8)) == line)
  }
}

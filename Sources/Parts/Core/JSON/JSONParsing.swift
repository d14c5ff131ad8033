extension JSONValue {
  /// What the parser accepts.
  package struct Options: Sendable, Hashable {
    /// The maximum size of the document, in bytes.
    var maximumSize: Int
    /// The maximum nesting of arrays and objects.
    var maximumDepth: Int
    /// The maximum number of members and elements in the whole document.
    var maximumMembers: Int
    /// Whether to accept what other programs write into their files, such as Python's `json` module.
    ///
    /// A lenient parser uses the last of several members with one name, and accepts `NaN`, `Infinity`, `-Infinity`, and
    /// more than 30 combining marks in a row in a name. A strict parser rejects them: another parser might use the other
    /// member (RFC 8259 §4).
    var isLenient: Bool

    /// Creates options; the defaults are strict and suffice for anything that a provider sends.
    package init(
      maximumSize: Int = 1 << 20,
      maximumDepth: Int = 32,
      maximumMembers: Int = 100_000,
      isLenient: Bool = false
    ) {
      (self.maximumSize, self.maximumDepth) = (maximumSize, maximumDepth)
      (self.maximumMembers, self.isLenient) = (maximumMembers, isLenient)
    }

    /// Strict, for documents from the network and from users.
    static let strict = Options()

    /// Strict, with a maximum size in bytes.
    package static func strict(maximumSize: Int) -> Options { Options(maximumSize: maximumSize) }
  }

  /// Why a document isn't accepted, and where.
  package struct ParseError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
      case tooLarge, tooDeep
      /// The document has too many members and elements in all.
      case tooManyMembers
      /// An object has two members of this name.
      case duplicateName(String)
      case notUTF8
      /// A name has an unpaired surrogate escape.
      case loneSurrogate
      /// A name has more than 30 combining marks in a row.
      case longCombiningSequence
      case unexpectedEnd
      /// The document has something other than this.
      case expected(String)
      case notAnObject
    }

    package let reason: Reason
    /// The number of bytes before the error.
    package let offset: Int

    init(_ reason: Reason, at offset: Int) {
      self.reason = reason
      self.offset = offset
    }

    /// A message, printable on a terminal.
    package var description: String {
      switch reason {
      case .tooLarge: "it is too large"
      case .tooDeep: "it is nested too deeply at byte \(offset)"
      case .tooManyMembers: "it has too many members at byte \(offset)"
      case .duplicateName(let name): "the member \"\(name.printable(limit: 64))\" occurs twice, at byte \(offset)"
      case .notUTF8: "a string at byte \(offset) isn't UTF-8"
      case .loneSurrogate: "a name at byte \(offset) has an unpaired surrogate"
      case .longCombiningSequence: "a name at byte \(offset) has too many combining marks in a row"
      case .unexpectedEnd: "it ends too early"
      case .expected(let what): "\(what) was expected at byte \(offset)"
      case .notAnObject: "it isn't a JSON object"
      }
    }

    /// Such as `line 3, column 5`.
    package func location(in document: [UInt8]) -> String {
      let column = 1 + document.prefix(offset).reversed().prefix { $0 != UInt8(ascii: "\n") }.count
      return "line \(JSONValue.line(of: offset, in: document)), column \(column)"
    }

    /// The message with the line and the column instead of the byte.
    package func description(in document: [UInt8]) -> String {
      let (text, byte, location) = (description, "at byte \(offset)", "at \(location(in: document))")
      if [.tooLarge, .notAnObject].contains(reason) { return text }
      return text.firstRange(of: byte) == nil ? "\(text) \(location)" : text.replacing(byte, with: location)
    }

    /// The mistake of a file, at its path or at a line: `config.json:3:` and `invalid JSON: …`.
    package func mistake(in document: [UInt8], of path: String) -> (location: String, what: String) {
      if reason == .notAnObject { return (path, "isn't a JSON object") }
      return ("\(path):\(JSONValue.line(of: offset, in: document)):", "invalid JSON: \(description(in: document))")
    }
  }

  /// Parses a JSON document in UTF-8; the time is linear in its size, except for sorting the names of large objects.
  package init(parsing bytes: some Sequence<UInt8>, options: Options = .strict) throws(ParseError) {
    self = try Array(bytes).withUnsafeBufferPointer { buffer throws(ParseError) in
      var reader = Reader(bytes: buffer, options: options)
      return try reader.document()
    }
  }

  /// Parses a JSON document that must be an object (``ParseError/Reason/notAnObject``).
  package static func object(
    parsing bytes: some Sequence<UInt8>,
    options: Options = .strict
  ) throws(ParseError) -> Object {
    guard case .object(let members) = try JSONValue(parsing: bytes, options: options) else {
      throw ParseError(.notAnObject, at: 0)
    }
    return members
  }
}

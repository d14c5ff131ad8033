extension JSON {
  /// How large a document may be.
  public struct Limits: Sendable, Hashable {
    /// The maximum size of the document, in bytes.
    public var maximumSize: Int
    /// The maximum nesting of arrays and objects.
    public var maximumDepth: Int
    /// The maximum number of members and elements in the whole document.
    public var maximumMembers: Int

    /// Makes limits; the defaults are ample for anything that a provider sends.
    ///
    /// - Parameters:
    ///   - maximumSize: The maximum size of the document, in bytes.
    ///   - maximumDepth: The maximum nesting of arrays and objects.
    ///   - maximumMembers: The maximum number of members and elements in the whole document.
    public init(maximumSize: Int = 1 << 20, maximumDepth: Int = 32, maximumMembers: Int = 100_000) {
      self.maximumSize = maximumSize
      self.maximumDepth = maximumDepth
      self.maximumMembers = maximumMembers
    }
  }

  /// What a reader accepts.
  public struct Options: Sendable, Hashable {
    /// What happens to a second member of one name.
    public enum DuplicateNames: Sendable, Hashable {
      /// The document is refused: another reader might keep the other member (RFC 8259 §4).
      case refused
      /// The last one counts, as in Python's and most other readers.
      case lastWins
    }

    /// How large the document may be.
    public var limits: Limits
    /// What happens to a second member of one name.
    public var duplicateNames: DuplicateNames
    /// Whether a byte order mark in front is skipped; RFC 8259 §8.1 forbids writing one.
    public var allowsByteOrderMark: Bool
    /// Whether a string may have a lone surrogate; a member's name never does.
    public var allowsLoneSurrogates: Bool
    /// Whether `NaN`, `Infinity` and `-Infinity` are numbers; JSON has none of them, and Python writes them.
    public var allowsNonFiniteNumbers: Bool
    /// Whether a string may have more than 30 combining marks in a row, which no language writes.
    ///
    /// Swift compares and hashes such a string in time that grows with the square of its length.
    public var allowsLongCombiningSequences: Bool
    /// The nesting below which an object is checked like the others and decoded only as far as it is asked for.
    ///
    /// For large documents of which a few objects are of interest. It keeps the document's bytes in memory, and has no
    /// effect where a second member of one name or a long combining sequence is refused.
    package var decodedDepth = Int.max

    /// Makes options; the defaults are strict.
    ///
    /// - Parameters:
    ///   - limits: How large the document may be.
    ///   - duplicateNames: What happens to a second member of one name.
    ///   - allowsByteOrderMark: Whether a byte order mark in front is skipped.
    ///   - allowsLoneSurrogates: Whether a string may have a lone surrogate.
    ///   - allowsNonFiniteNumbers: Whether `NaN`, `Infinity` and `-Infinity` are numbers.
    ///   - allowsLongCombiningSequences: Whether a string may have more than 30 combining marks in a row.
    public init(
      limits: Limits = Limits(),
      duplicateNames: DuplicateNames = .refused,
      allowsByteOrderMark: Bool = false,
      allowsLoneSurrogates: Bool = false,
      allowsNonFiniteNumbers: Bool = false,
      allowsLongCombiningSequences: Bool = false
    ) {
      self.limits = limits
      self.duplicateNames = duplicateNames
      self.allowsByteOrderMark = allowsByteOrderMark
      self.allowsLoneSurrogates = allowsLoneSurrogates
      self.allowsNonFiniteNumbers = allowsNonFiniteNumbers
      self.allowsLongCombiningSequences = allowsLongCombiningSequences
    }

    /// Strict, for documents from the network and from people.
    public static let strict = Options()

    /// Strict, with a maximum size.
    ///
    /// - Parameter maximumSize: The maximum size of the document, in bytes.
    /// - Returns: The options.
    public static func strict(maximumSize: Int) -> Options { Options(limits: Limits(maximumSize: maximumSize)) }
  }

  /// Why bytes are not an accepted JSON document, and where.
  public struct ParseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
      /// The document is larger than the limit.
      case tooLarge
      /// Arrays and objects are nested more deeply than the limit.
      case tooDeep
      /// The document has more members and elements than the limit.
      case tooManyMembers
      /// An object has two members of this name.
      case duplicateName(String)
      /// A string is not UTF-8.
      case notUTF8
      /// A string has an unpaired surrogate escape.
      case loneSurrogate
      /// A string has more than 30 combining marks in a row.
      case longCombiningSequence
      /// The document ends too early.
      case unexpectedEnd
      /// Something else stands where this was expected.
      case expected(String)
      /// The document is not an object.
      case notAnObject
    }

    /// What is wrong.
    public let reason: Reason
    /// Where, as the number of bytes before it.
    public let offset: Int

    init(_ reason: Reason, at offset: Int) {
      self.reason = reason
      self.offset = offset
    }

    /// The reason in words, fit for a terminal.
    public var description: String {
      switch reason {
      case .tooLarge: "it is too large"
      case .tooDeep: "it is nested too deeply at byte \(offset)"
      case .tooManyMembers: "it has too many members at byte \(offset)"
      case .duplicateName(let name): "the member \"\(name.printable(limit: 64))\" occurs twice, at byte \(offset)"
      case .notUTF8: "a string at byte \(offset) is not UTF-8"
      case .loneSurrogate: "a string at byte \(offset) has half a character"
      case .longCombiningSequence: "a string at byte \(offset) has too many combining marks in a row"
      case .unexpectedEnd: "it ends too early"
      case .expected(let what): "\(what) was expected at byte \(offset)"
      case .notAnObject: "it is not a JSON object"
      }
    }
  }

  /// Reads one JSON document.
  ///
  /// The time is linear in the size, whatever the document is like.
  ///
  /// - Parameters:
  ///   - bytes: The document in UTF-8.
  ///   - options: What is accepted.
  /// - Throws: ``ParseError``.
  public init(parsing bytes: some Sequence<UInt8>, options: Options = .strict) throws(ParseError) {
    self = try Reader.read(Array(bytes), options)
  }

  /// Reads one JSON document that is an object.
  ///
  /// - Parameters:
  ///   - bytes: The document in UTF-8.
  ///   - options: What is accepted.
  /// - Returns: The members.
  /// - Throws: ``ParseError``; with ``ParseError/Reason/notAnObject`` if the document is another value.
  public static func object(
    parsing bytes: some Sequence<UInt8>,
    options: Options = .strict
  ) throws(ParseError) -> Object {
    guard case .object(let members) = try JSON(parsing: bytes, options: options) else {
      throw ParseError(.notAnObject, at: 0)
    }
    return members
  }
}

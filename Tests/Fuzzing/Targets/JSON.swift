import Core

/// JSON: strictly, leniently, and decoded in part.
@Sendable func fuzzJSON(_ input: Input) {
  var input = input
  var lenient = JSON.Options(
    duplicateNames: .lastWins,
    allowsByteOrderMark: true,
    allowsLoneSurrogates: true,
    allowsNonFiniteNumbers: true,
    allowsLongCombiningSequences: true
  )
  // Small limits, so that short documents meet them too.
  var strict = JSON.Options.strict
  if input.choice(of: 2) == 0 {
    strict.limits = JSON.Limits(maximumSize: 64, maximumDepth: 4, maximumMembers: 8)
    lenient.limits = strict.limits
  }
  var partial = lenient
  partial.decodedDepth = input.choice(of: 4)
  let bytes = input.bytes

  let lenientValue = checkRoundTrip(bytes, lenient)
  if let value = checkRoundTrip(bytes, strict) {
    require(value == lenientValue, "what is read strictly is read leniently, and the same")
    guard let laidOut = JSON.laidOut(bytes) else {
      return require(value.object == nil && value.array == nil, "an accepted document is laid out")
    }
    require((try? JSON(parsing: laidOut)) == value, "a laid out document is the same document")
  }

  let wholeFailure = failure { () throws(JSON.ParseError) in _ = try JSON(parsing: bytes, options: lenient) }
  let partialFailure = failure { () throws(JSON.ParseError) in _ = try JSON(parsing: bytes, options: partial) }
  require(wholeFailure == partialFailure, "in part or as a whole, what is wrong is the same")
  if let value = try? JSON(parsing: bytes, options: partial), let lenientValue {
    require(value == lenientValue, "in part or as a whole, a document says the same")
    require(value.serialized() == lenientValue.serialized(), "in part or as a whole, it is written the same")
    checkMembers(value, lenientValue)
  }
}

/// Reads a document, and what is written of it.
private func checkRoundTrip(_ bytes: [UInt8], _ options: JSON.Options) -> JSON? {
  guard let value = try? JSON(parsing: bytes, options: options) else { return nil }
  require(bytes.count <= options.limits.maximumSize, "no document is read beyond its limit")
  var unlimited = options
  unlimited.limits = JSON.Limits(maximumSize: .max, maximumDepth: options.limits.maximumDepth)
  let formats = [.compact, .pretty, JSON.Format(indentation: 4, indentedLevels: 3, isASCII: true)]
  for format in formats {
    let written = value.serialized(format)
    require((try? JSON(parsing: written, options: unlimited)) == value, "what is written is read again, the same")
    require(!format.isASCII || written.allSatisfy { $0 < 0x80 }, "ASCII is ASCII")
  }
  var hashed: Set<JSON> = [value]
  require(!hashed.insert(value).inserted, "equal values have equal hashes")
  checkNumbers(value)
  return value
}

private func checkNumbers(_ value: JSON) {
  switch value {
  case .number(let number):
    guard let integer = number.integer else { return }
    require(number.truncated == integer, "an integer has no fraction to drop")
    require(number.double == Double(integer), "an integer is the same as a Double: \(number.lexeme)")
    require(number.isNegative == (integer < 0), "an integer has its sign: \(number.lexeme)")
  case .array(let elements): elements.forEach(checkNumbers)
  case .object(let members): members.values.forEach(checkNumbers)
  default: return
  }
}

/// Asks both for each member by its name.
private func checkMembers(_ partial: JSON, _ whole: JSON) {
  for (name, value) in whole.object ?? [:] {
    guard let found = partial[name] else { fatalError("broken promise: a member is found by its name") }
    require(found == value, "a member is the same")
    if let string = value.string {
      require(partial.object?.has(name, string) == true, "a member has the string that it is")
      require(partial.object?.has(name, string + "\"") == false, "and no longer one")
    }
    for (field, inner) in value.object ?? [:] {
      if let string = inner.string { checkSearch(partial.object ?? [:], whole.object ?? [:], for: string, as: field) }
    }
    checkMembers(found, value)
  }
}

/// Looks in both for the members that have a string under a name.
private func checkSearch(_ partial: JSON.Object, _ whole: JSON.Object, for string: String, as field: String) {
  let names = whole.sorted(where: field, is: string).map { JSON.Name($0.key) }
  require(partial.sorted(where: field, is: string).map { JSON.Name($0.key) } == names, "the same members have a string")
  let candidates = partial.sorted(where: [field], mayBe: string.lowercased()).map { JSON.Name($0.key) }
  require(Set(candidates).isSuperset(of: names), "what has a string may have it in small letters")
}

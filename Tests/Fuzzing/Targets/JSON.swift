@testable import MSAuthCore

/// JSON, strict and lenient.
@Sendable func fuzzJSON(_ input: Input) {
  var input = input
  var lenient = JSONValue.Options(isLenient: true)
  // Small limits, which short documents reach.
  var strict = JSONValue.Options.strict
  if input.choice(of: 2) == 0 {
    strict = JSONValue.Options(maximumSize: 64, maximumDepth: 4, maximumMembers: 8)
    lenient = strict
    lenient.isLenient = true
  }
  let bytes = input.bytes

  let lenientValue = checkRoundTrip(bytes, lenient)
  if let value = checkRoundTrip(bytes, strict) {
    require(value == lenientValue, "strict and lenient parsing give the same value")
    checkMembers(value)
  }
}

/// Parses a document, writes it, and parses it again.
private func checkRoundTrip(_ bytes: [UInt8], _ options: JSONValue.Options) -> JSONValue? {
  guard let value = try? JSONValue(parsing: bytes, options: options) else { return nil }
  require(bytes.count <= options.maximumSize, "a document is within its size limit")
  var unlimited = options
  unlimited.maximumSize = .max
  unlimited.maximumMembers = .max
  let unsorted = JSONValue.Format(indentation: 2, sortsMembers: false)
  let formats = [.compact, .pretty, unsorted, JSONValue.Format(indentation: 4, indentedLevels: 3, isASCII: true)]
  for format in formats {
    let written = value.serialized(format)
    require((try? JSONValue(parsing: written, options: unlimited)) == value, "a value round-trips")
    require(!format.isASCII || written.allSatisfy { $0 < 0x80 }, "ASCII output has only ASCII")
  }
  var hashed: Set<JSONValue> = [value]
  require(!hashed.insert(value).inserted, "equal values have equal hashes")
  checkNumbers(value)
  return value
}

private func checkNumbers(_ value: JSONValue) {
  switch value {
  case .number(let number):
    guard let integer = number.integer else { return }
    require(number.truncated == integer, "an integer isn't truncated")
    require(number.double == Double(integer), "an integer equals its Double: \(number.lexeme)")
    require(number.isNegative == (integer < 0), "an integer keeps its sign: \(number.lexeme)")
  case .array(let elements): elements.forEach(checkNumbers)
  case .object(let members): members.values.forEach(checkNumbers)
  default: return
  }
}

private func checkMembers(_ value: JSONValue) {
  for (name, member) in value.object ?? [:] {
    require(value[name] == member, "a member is found by its name")
    checkMembers(member)
  }
}

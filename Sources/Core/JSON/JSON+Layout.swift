extension JSON {
  /// Lays a document out for a person: two spaces per level, the members in their order, numbers and strings as written.
  package static func laidOut(_ document: [UInt8]) -> [UInt8]? {
    switch try? JSON(parsing: document) {
    case .object, .array: break
    default: return nil
    }
    var output: [UInt8] = []
    output.reserveCapacity(document.count * 2)
    var level = 0
    var isInString = false
    var isEscaped = false
    func newLine(_ output: inout [UInt8], _ level: Int) {
      output.append(0x0A)
      output += repeatElement(0x20, count: 2 * level)
    }
    for byte in document {
      if isInString {
        output.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else {
          isInString = byte != UInt8(ascii: "\"")
        }
        continue
      }
      let isOpen = output.last == UInt8(ascii: "{") || output.last == UInt8(ascii: "[")
      switch byte {
      case 0x20, 0x0A, 0x0D, 0x09: continue
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        level -= 1
        if !isOpen { newLine(&output, level) }
        output.append(byte)
        continue
      case UInt8(ascii: ","):
        output.append(byte)
        newLine(&output, level)
        continue
      case UInt8(ascii: ":"):
        output += [byte, 0x20]
        continue
      default: break
      }
      if isOpen { newLine(&output, level) }
      output.append(byte)
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): level += 1
      case UInt8(ascii: "\""): isInString = true
      default: break
      }
    }
    return output
  }
}

import MSAuthCore

/// The bytes of an input, from which a fuzzer takes choices and parts.
struct Input {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) {
    self.rest = Array(bytes)[...]
  }

  var bytes: [UInt8] { Array(rest) }

  /// The rest as text, with invalid UTF-8 repaired.
  var text: String { String(decoding: rest, as: UTF8.self) }

  /// Takes one byte; 0 after the last.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Takes a byte for a choice; readable bytes choose among few cases, so that examples can be text.
  mutating func choice(of count: Int) -> Int { Int(byte()) % count }

  /// Takes the bytes before a NUL, and the NUL.
  mutating func part() -> [UInt8] {
    let part = rest.prefix { $0 != 0 }
    rest = rest.dropFirst(part.count + 1)
    return Array(part)
  }
}

/// Ends the process unless a rule holds; libFuzzer reports the input.
func require(_ condition: Bool, _ rule: @autoclosure () -> String) {
  guard condition else { fatalError("not true: \(rule())") }
}

func require<Value>(_ value: Value?, _ rule: @autoclosure () -> String) -> Value {
  guard let value else { fatalError("not true: \(rule())") }
  return value
}

/// Ends the process if a text has control or formatting characters.
func requirePrintable(_ text: String?, _ name: @autoclosure () -> String) {
  for scalar in (text ?? "").unicodeScalars {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xE0000...0xE007F:
      fatalError("\(name()) has U+\(String(scalar.value, radix: 16))")
    default: continue
    }
  }
}

import MSAuthCore
import Testing

@Suite("Lines that come in pieces")
struct LineBufferTests {
  private func text(_ lines: [[UInt8]]) -> [String] { lines.map { String(decoding: $0, as: UTF8.self) } }

  @Test("pieces make whole lines, wherever they are cut")
  func pieces() throws {
    let whole = Array("one\n\ntwo\nthr".utf8)
    for cut in 0...whole.count {
      var buffer = LineBuffer(maximumLength: 3)
      var lines = try buffer.append(Array(whole[..<cut]))
      lines += try buffer.append(Array(whole[cut...]))
      #expect(text(lines) == ["one", "", "two"])
      #expect(text([buffer.takeRest()]) == ["thr"] && buffer.takeRest().isEmpty)
    }
  }

  @Test("a line that is too long is refused, with its end or without", arguments: ["four\n", "four"])
  func tooLong(line: String) throws {
    var buffer = LineBuffer(maximumLength: 3)
    #expect(throws: Refusal.self) { try buffer.append(Array(line.utf8)) }
    #expect(text(try buffer.append(Array("ok\n".utf8))) == ["ok"])
  }

  @Test("or cut")
  func cut() {
    var buffer = LineBuffer(maximumLength: 3)
    #expect(text(buffer.appendCutting(Array("abcdefg\nhi".utf8))) == ["abc", "def", "g"])
    #expect(text([buffer.takeRest()]) == ["hi"])
  }
}

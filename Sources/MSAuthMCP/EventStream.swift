/// Parses server-sent events (WHATWG HTML §9.2), which arrive in pieces.
struct EventStream {
  /// The last event that was complete; a new stream continues after it.
  private(set) var lastEventID: String?
  /// The server's `retry`: the delay before reconnecting.
  private(set) var retry: Duration?

  private let maximumSize: Int
  private var line: [UInt8] = []
  private var data: [UInt8]?
  private var type = ""
  private var id: String?
  private var endsWithCarriageReturn = false
  private var isAtStart = true

  init(maximumSize: Int, after earlier: EventStream? = nil) {
    self.maximumSize = maximumSize
    (lastEventID, retry) = (earlier?.lastEventID, earlier?.retry)
  }

  /// Returns the data of the messages that are complete; `nil` if an event is too large.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]]? {
    var messages: [[UInt8]] = []
    for byte in bytes {
      // A line ends with LF, CR or both.
      if byte == UInt8(ascii: "\n"), endsWithCarriageReturn {
        endsWithCarriageReturn = false
        continue
      }
      endsWithCarriageReturn = byte == UInt8(ascii: "\r")
      if byte == UInt8(ascii: "\n") || endsWithCarriageReturn {
        if let message = takeLine() { messages.append(message) }
      } else {
        line.append(byte)
        guard line.count + (data?.count ?? 0) <= maximumSize else { return nil }
      }
    }
    return messages
  }

  /// Interprets a line; an empty one completes the event.
  private mutating func takeLine() -> [UInt8]? {
    defer { (line, isAtStart) = ([], false) }
    if isAtStart, line.starts(with: "\u{FEFF}".utf8) { line.removeFirst(3) }
    guard !line.isEmpty else {
      defer { (data, type) = (nil, "") }
      if let id { lastEventID = id.isEmpty ? nil : id }
      // A server primes a stream with an event that has only an ID.
      return type.isEmpty || type == "message" ? data.flatMap { $0.isEmpty ? nil : $0 } : nil
    }
    let end = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[end...].dropFirst()
    if value.first == 0x20 { value = value.dropFirst() }
    let text = { [value] in String(decoding: value, as: UTF8.self) }
    switch String(decoding: line[..<end], as: UTF8.self) {
    case "data":
      // In place: a copy per line takes quadratic time.
      if data == nil { data = [] } else { data?.append(UInt8(ascii: "\n")) }
      data?.append(contentsOf: value)
    case "event": type = text()
    case "id" where !value.contains(0): id = text()
    case "retry" where value.count <= 6: retry = Int64(text()).map { .milliseconds(max($0, 0)) } ?? retry
    default: break
    }
    return nil
  }
}

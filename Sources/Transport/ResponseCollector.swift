import Unix

/// Collects the response that libcurl delivers piece by piece, within the limits.
///
/// One thread performs the transfer and then reads the response.
final class ResponseCollector {
  private let limits: ResponseLimits
  private var headerBytes = 0
  private(set) var headers: [(name: String, value: String)] = []
  private(set) var body: [UInt8] = []
  /// Whether the blank line that ends the header was received: libcurl takes a connection that ends before it for a
  /// response.
  private(set) var isHeaderComplete = false
  /// Which limit ended the transfer.
  private(set) var overflow: String?

  init(limits: ResponseLimits) {
    self.limits = limits
  }

  /// Takes one header line.
  func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headerBytes += bytes.count
    guard headerBytes <= limits.maximumHeaderBytes else {
      overflow = "its header fields are larger than \(limits.maximumHeaderBytes / 1024) KiB"
      return false
    }
    var line = String(decoding: bytes, as: UTF8.self)
    while let last = line.unicodeScalars.last, last.properties.isWhitespace { line.unicodeScalars.removeLast() }
    if line.hasPrefix("HTTP/") {
      // A status line begins a new response: the one before was an interim response (RFC 9110 §15.2).
      headers = []
      isHeaderComplete = false
    } else if line.isEmpty {
      isHeaderComplete = true
    } else if line.first == " " || line.first == "\t", let last = headers.popLast() {
      // A folded line continues the field before it (RFC 9112 §5.2).
      headers.append((last.name, last.value + " " + Self.trimmed(line[...])))
    } else if let colon = line.firstIndex(of: ":") {
      headers.append((String(line[..<colon]), Self.trimmed(line[line.index(after: colon)...])))
    }
    return true
  }

  /// Takes decoded bytes of the body.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= limits.maximumBodyBytes else {
      overflow = "its body is larger than \(FileError.size(limits.maximumBodyBytes))"
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  private static func trimmed(_ string: Substring) -> String {
    String(string.drop { $0 == " " || $0 == "\t" })
  }
}

extension ResponseCollector {
  /// Passes a piece from libcurl's callback to its collector.
  static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ count: Int,
    _ receiver: UnsafeMutableRawPointer?,
    by take: (ResponseCollector, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard count > 0 else { return 0 }
    guard let receiver, let bytes else { return 0 }
    let collector = Unmanaged<ResponseCollector>.fromOpaque(receiver).takeUnretainedValue()
    return take(collector, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
  }
}

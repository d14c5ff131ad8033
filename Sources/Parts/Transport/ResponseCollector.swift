import MSAuthCore
import MSAuthUnix

/// Collects the response that libcurl delivers in pieces, within the limits.
final class ResponseCollector {
  private let transfer: Transfer
  private var status = 0
  private var headerBytes = 0
  private(set) var headers: [(name: String, value: String)] = []
  private(set) var body: [UInt8] = []
  private(set) var isHeaderComplete = false
  /// The exceeded limit that ended the transfer, for a message.
  private(set) var overflow: String?
  /// Whether the receiver ended the transfer.
  private(set) var isEnded = false

  init(_ transfer: Transfer) { self.transfer = transfer }

  func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headerBytes += bytes.count
    guard headerBytes <= transfer.limits.headerBytes else {
      overflow = "its header fields are larger than \(FileError.size(transfer.limits.headerBytes))"
      return false
    }
    var line = String(decoding: bytes, as: UTF8.self)
    while let last = line.unicodeScalars.last, last.properties.isWhitespace { line.unicodeScalars.removeLast() }
    if line.hasPrefix("HTTP/") {
      // The previous header belongs to an interim response (RFC 9110 §15.2).
      headers = []
      isHeaderComplete = false
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    } else if line.isEmpty {
      isHeaderComplete = true
    } else if line.first == " " || line.first == "\t", let last = headers.popLast() {
      // A folded line continues the field before it (RFC 9112 §5.2).
      headers.append((last.name, last.value + " " + String(decoding: line.utf8.trimming(" \t"), as: UTF8.self)))
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].utf8.trimming(" \t")
      headers.append((String(line[..<colon]), String(decoding: value, as: UTF8.self)))
    }
    return true
  }

  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if let receiver = transfer.request.receiver, status.isSuccessStatus {
      isEnded = !receiver(HTTPResponse(status: status, headers: headers), bytes)
      return !isEnded
    }
    guard body.count + bytes.count <= transfer.limits.bodyBytes else {
      overflow = "its body is larger than \(FileError.size(transfer.limits.bodyBytes))"
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }
}

extension ResponseCollector {
  /// Passes a piece from libcurl's callback to a collector; returns the count, or another number to end the transfer.
  static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ count: Int,
    _ receiver: UnsafeMutableRawPointer?,
    by take: (ResponseCollector, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard count > 0, let receiver, let bytes else { return 0 }
    let collector = Unmanaged<ResponseCollector>.fromOpaque(receiver).takeUnretainedValue()
    return take(collector, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
  }
}

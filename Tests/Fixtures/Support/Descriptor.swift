import Glibc

/// Throws what errno says of a call that answered below zero.
@discardableResult
func check(_ result: Int32, _ call: String) throws -> Int32 {
  guard result >= 0 else { throw TestFailure("\(call): \(String(cString: strerror(errno)))") }
  return result
}

/// Two ends of a pipe that no child process inherits.
func makePipe() throws -> (read: Int32, write: Int32) {
  var ends: [Int32] = [-1, -1]
  try check(pipe(&ends), "pipe")
  for end in ends { try check(fcntl(end, F_SETFD, FD_CLOEXEC), "fcntl") }
  return (ends[0], ends[1])
}

/// Reads what is there, waiting for the first byte.
///
/// - Returns: Bytes; empty at the end of the file.
func readSome(_ descriptor: Int32) throws -> [UInt8] {
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    try check(Int32(count), "read")
    return Array(buffer.prefix(count))
  }
}

import MSAuthUnix

/// Reads a file, a pipe or `-` to its end, unless the task is canceled.
func readInputAbandoning(at path: String, limit: Int) async throws -> [UInt8] {
  let content = await BackgroundThread.runAbandoning {
    Result { () throws(FileError) in try readInput(at: path, limit: limit) }
  }
  guard let content else { throw CancellationError() }
  return try content.get()
}

/// Returns the name that the user probably meant; case and the difference between `-`, `_` and `.` are ignored.
package func nearest(to name: String, in names: some Sequence<String>) -> String? {
  nearest(1, to: name, in: names).first
}

package func nearest(_ count: Int, to name: String, in names: some Sequence<String>) -> [String] {
  // Comparing takes time proportional to the product of both lengths.
  guard name.utf8.count <= 64 else { return [] }
  let written = folded(name)
  let found = names.compactMap { candidate -> (name: String, distance: Int)? in
    let letters = folded(candidate)
    let longer = max(written.count, letters.count)
    let limit = max(1, longer / 3)
    guard abs(letters.count - written.count) <= limit else { return nil }
    let distance = editDistance(written, letters)
    return distance <= limit && distance < longer ? (candidate, distance) : nil
  }
  let sorted = found.enumerated().sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
  return sorted.prefix(count).map(\.element.name)
}

private func folded(_ name: String) -> [UInt8] {
  name.utf8.map { "_.".utf8.contains($0) ? UInt8(ascii: "-") : $0.asciiLowercased }
}

/// The number of bytes to insert, remove, replace or swap with their neighbor.
private func editDistance(_ first: [UInt8], _ second: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...second.count)
  for (row, byte) in first.enumerated() {
    var current = [row + 1]
    for (column, other) in second.enumerated() {
      var distance = min(last[column + 1] + 1, current[column] + 1, last[column] + (byte == other ? 0 : 1))
      if row > 0, column > 0, byte == second[column - 1], first[row - 1] == other {
        distance = min(distance, beforeLast[column - 1] + 1)
      }
      current.append(distance)
    }
    (beforeLast, last) = (last, current)
  }
  return last[second.count]
}

import MSAuth

/// Rows of cells in columns on standard output, fitted into the terminal.
struct Table {
  private let rows: [[String]]
  private let columns = Terminal.stdoutColumns ?? .max

  init(_ rows: [[String]]) { self.rows = rows.map { $0.map { $0.printable(limit: 2000) } } }

  /// A row for each name that has a value.
  init(_ values: [(name: String, value: String)]) {
    self.init(values.filter { !$0.value.isEmpty }.map { [$0.name, $0.value] })
  }

  /// Prints the rows; one that doesn't fit is wrapped below its first cell.
  func print() throws {
    let nameWidth = width(of: 0, atMost: columns - 12)
    // A long cell must neither widen its column nor displace the next one, such as "line 12".
    let maximum = min(40, columns - nameWidth - 12)
    let widths = [nameWidth] + (rows.first ?? []).indices.dropFirst().map { width(of: $0, atMost: maximum) }
    for row in rows {
      let line = Self.line(row, widths)
      let notes = row.dropFirst(2).filter { !$0.isEmpty }.map { " (\($0))" }
      let wrapped = Terminal.wrapped(row[1] + notes.joined(), at: columns, indentation: 2)
      try Console.result(line.count < columns || row[1].isEmpty ? line : "\(row[0])\n\(wrapped)")
    }
  }

  /// Prints the rows below a header, without empty columns; in a narrow terminal, shortens these columns in turn.
  func print(header: [String], shortening shortened: [String]) throws {
    if rows.isEmpty { return }
    var widths = header.indices.map { width(of: $0) }
    let used = widths.indices.filter { widths[$0] > 0 }
    for column in used { widths[column] = max(widths[column], header[column].count) }
    for column in shortened.compactMap(header.firstIndex(of:)) {
      let excess = widths.reduce(2 * (used.count - 1), +) - columns + 1
      widths[column] -= max(0, min(excess, widths[column] - 8))
    }
    for row in [header] + rows {
      let cells = used.map { row[$0].count > widths[$0] ? row[$0].printable(limit: widths[$0] - 1) : row[$0] }
      try Console.result(Self.line(cells, used.map { widths[$0] }))
    }
  }

  private func width(of column: Int, atMost maximum: Int = .max) -> Int {
    rows.map { $0[column].count }.filter { $0 <= maximum }.max() ?? 0
  }

  private static func line(_ row: [String], _ widths: [Int]) -> String {
    let cells = row[...(row.lastIndex { !$0.isEmpty } ?? 0)]
    return (zip(cells.dropLast(), widths).map { $0.padded(to: $1) } + cells.suffix(1)).joined(separator: "  ")
  }
}

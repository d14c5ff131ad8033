import Glibc
import MSAuthCore

/// Times every reader of JSON on hostile documents, at its limit and at a quarter of it.
///
/// Arguments are words that the names of readers contain. Time that grows with the size alone is the same per megabyte at both.
@main
struct Benchmark {
  /// In milliseconds per megabyte.
  private static let budget = 100.0

  static func main() throws {
    print("milliseconds per MB at a quarter of the limit and at the limit; the slowest document of each reader")
    let chosen = CommandLine.arguments.dropFirst()
    var slow = 0
    for reader in try Reader.all() where chosen.isEmpty || chosen.contains(where: reader.name.contains) {
      var worst = (document: "", quarter: 0.0, whole: 0.0)
      for document in HostileDocument.all + reader.fields.map(HostileDocument.value) {
        let (quarter, whole) = (
          rate(reader, document, reader.maximumSize / 4), rate(reader, document, reader.maximumSize)
        )
        if whole > budget {
          slow += 1
          show(reader, document.name, quarter, whole, " SLOW")
        }
        if whole > worst.whole { worst = (document.name, quarter, whole) }
      }
      if worst.whole <= budget { show(reader, worst.document, worst.quarter, worst.whole, "") }
    }
    print(slow == 0 ? "all within \(Int(budget)) ms per MB" : "\(slow) beyond \(Int(budget)) ms per MB")
  }

  /// The best of three, so that what else the machine does counts little; of one where it takes seconds.
  private static func rate(_ reader: Reader, _ document: HostileDocument, _ size: Int) -> Double {
    let bytes = Array("{\(reader.members),\(document.members(size - reader.members.utf8.count - 100))}".utf8)
    var best = cpuTime { try? reader.read(bytes) }
    if best < 1 {
      for _ in 0..<2 { best = min(best, cpuTime { try? reader.read(bytes) }) }
    }
    return best * 1000 / (Double(bytes.count * reader.times) / 1_048_576)
  }

  /// The seconds of the processor that the work takes, whatever else the machine does.
  private static func cpuTime(_ work: () -> Void) -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    work()
    return now() - start
  }

  private static func show(_ reader: Reader, _ document: String, _ quarter: Double, _ whole: Double, _ mark: String) {
    func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    print("\(reader.name) (\(reader.maximumSize / 1024) KB): \(text(quarter)), \(text(whole)): \(document)\(mark)")
  }
}

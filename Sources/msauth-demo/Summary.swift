/// How the steps went.
struct Summary {
  private var problems: [String] = []
  private var count = 0

  /// Adds a step.
  ///
  /// - Parameters:
  ///   - name: What the step was about.
  ///   - finished: What msauth gave.
  ///   - problem: What is wrong with its output; nil for nothing.
  ///   - status: The exit status that is right.
  mutating func add(_ name: String, _ finished: MSAuthProcess.Finished, _ problem: String?, expects status: Int32 = 0) {
    count += 1
    if finished.status != status {
      problems.append("\(name): exit status \(finished.status) instead of \(status)")
    } else if let problem {
      problems.append("\(name): \(problem)")
    }
  }

  /// Shows the end of the tour.
  ///
  /// - Returns: Whether there was no problem.
  func show() -> Bool {
    Screen.line()
    Screen.heading("\(count - problems.count) of \(count) steps went as expected.")
    for problem in problems { Screen.remark(problem) }
    if problems.isEmpty { Screen.line("The temporary home is removed. For your own experiments: msauth-demo serve") }
    return problems.isEmpty
  }
}

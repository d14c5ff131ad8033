extension CommandRunner {
  /// Starts `msauth`, or another program, on a terminal of its own: what it writes to either stream is its standard output here.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - program: The program's path, if it is another than `msauth`.
  ///   - typing: What the person types; the terminal keeps it until it is read, and shows it.
  ///   - typesMore: Whether more is typed later, by ``ChildProcess/write(_:)``.
  /// - Returns: The process; it ends with the exit code of `msauth`.
  /// - Throws: ``TestFailure`` when it cannot be started.
  package func startOnTerminal(
    _ arguments: [String],
    of program: String? = nil,
    typing: String = "",
    typesMore: Bool = false
  ) throws -> ChildProcess {
    let script = #"""
      import os, pty, select, sys
      pid, terminal = pty.fork()
      if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
      os.write(terminal, sys.argv[1].encode())
      sources = [terminal, 0]
      while True:
          ready = select.select(sources, [], [])[0]
          if 0 in ready:
              typed = os.read(0, 65536)
              if typed: os.write(terminal, typed)
              else: sources.remove(0)
          if terminal not in ready: continue
          try: part = os.read(terminal, 65536)
          except OSError: break
          if not part: break
          sys.stdout.buffer.write(part)
          sys.stdout.flush()
      status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
      sys.exit(status if status >= 0 else 128 - status)
      """#
    let own = ["TERM": "xterm"].merging(environment) { _, own in own }
    return try ChildProcess(
      ["/usr/bin/python3", "-c", script, typing, try program ?? BuiltProducts.msauth] + arguments,
      environment: home.environment.merging(own) { _, own in own },
      in: home.path("home"),
      holdsInput: typesMore
    )
  }

  /// Runs `msauth` on a terminal of its own to its end.
  package func runOnTerminal(_ arguments: String..., typing: String = "") async throws -> Outcome {
    try await runOnTerminal(arguments, typing: typing)
  }

  package func runOnTerminal(_ arguments: [String], typing: String = "") async throws -> Outcome {
    try await outcome(of: startOnTerminal(arguments, typing: typing))
  }
}

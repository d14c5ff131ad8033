import DemoProvider
import Core

/// The steps of the tour.
struct Tour {
  /// How long a command may take that no person has a part in, in seconds.
  static let commandLimit = 60

  let provider: DemoProvider
  var msauth: MSAuthProcess
  let visitor: Visitor
  let usesBrowser: Bool
  /// How long the person has in the browser, in seconds.
  let patience: Int

  /// Takes all steps.
  ///
  /// - Returns: Whether each went as expected.
  /// - Throws: When msauth cannot be run.
  func run() async throws -> Bool {
    var tour = self
    tour.setUp()
    var summary = Summary()

    let login = try await tour.step("Sign in", ["login"] + (usesBrowser ? [] : ["--no-browser"]), waits: true)
    let username = login.output
    let isSomebody = provider.people.contains { $0.username == username }
    summary.add("sign in", login, isSomebody ? nil : "nobody signed in")
    guard isSomebody else {
      Screen.remark("the other steps need an account, so the tour ends here")
      return summary.show()
    }

    let status = try await tour.step("Who is signed in", ["status"])
    summary.add("status", status, status.output == username ? nil : "another account")

    let token = try await tour.step("A token for a script", ["token"], shows: Screen.shortened)
    summary.add("token", token, token.output.hasPrefix("demo-at-") ? nil : "not a token")

    let graph = try await tour.step(
      "Ask Microsoft Graph, which the provider plays too",
      ["graph", "--endpoint", provider.graphURL]
    )
    let answer = try? JSONValue(parsing: graph.output.utf8)
    summary.add("graph", graph, answer?["userPrincipalName"]?.string == username ? nil : "not the person's profile")

    let before = await provider.record.count
    let again = try await tour.step("The same token again, silently", ["token"], shows: Screen.shortened)
    let requests = await provider.record.count - before
    Screen.remark("requests to the provider: \(requests)" + (requests == 0 ? "; it came from the cache" : ""))
    summary.add(
      "token from the cache",
      again,
      again.output == token.output && requests == 0 ? nil : "not from the cache"
    )

    let accounts = try await tour.step("All accounts", ["accounts"])
    summary.add("accounts", accounts, accounts.output == username ? nil : "another list")

    let device = try await tour.step("Is this computer shared?", ["device"])
    summary.add("device", device, device.output.contains("mode") ? nil : "no answer")

    let logout = try await tour.step("Sign out, from the browser too", ["logout", "--from-browser"], waits: true)
    let isSignedOut = await provider.record.contains { $0.path.hasSuffix("/logout") }
    summary.add("sign out", logout, isSignedOut ? nil : "the browser did not reach the provider's sign-out")

    let out = try await tour.step("Who is signed in now", ["status"])
    summary.add("status afterwards", out, out.output.contains("Signed out") ? nil : "still signed in")

    let refused = try await tour.step("A token now", ["token"], expects: 2)
    Screen.remark("it says that a sign-in is needed, so that a script can tell this from a failure")
    summary.add("token afterwards", refused, refused.output.isEmpty ? nil : "a token", expects: 2)
    return summary.show()
  }

  /// Puts what all commands share into their environment.
  private mutating func setUp() {
    let settings = [
      ("MSAUTH_CLIENT_ID", provider.clientID), ("MSAUTH_AUTHORITY", provider.entraAuthority()),
      ("MSAUTH_AUTHORITY_TYPE", "aad"), ("MSAUTH_STORE", "file"),
    ]
    Screen.line()
    for (name, value) in settings {
      Screen.line("$ export \(name)=\(value)")
      msauth.environment[name] = value
    }
  }

  private func step(
    _ title: String,
    _ arguments: [String],
    waits: Bool = false,
    expects expected: Int32 = 0,
    shows: (String) -> String = { $0 }
  ) async throws -> MSAuthProcess.Finished {
    Screen.line()
    Screen.heading(title)
    Screen.line("$ msauth " + arguments.joined(separator: " "))
    let finished = try await msauth.run(arguments, limit: Self.commandLimit + (waits ? patience : 0)) { line in
      Screen.quote(line, whole: usesBrowser)
      if waits { await visitor.read(line) }
    }
    if waits { await visitor.finish() }
    for line in shows(finished.output).split(separator: "\n") where !finished.output.isEmpty {
      Screen.quote(String(line), whole: true)
    }
    if finished.status != expected {
      Screen.remark("exit status \(finished.status)")
    } else if expected != 0 {
      Screen.remark("exit status \(expected), as it should be")
    }
    return finished
  }
}

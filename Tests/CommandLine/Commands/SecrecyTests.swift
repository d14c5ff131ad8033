import TestSupport
import Testing

@Suite("codes, verifiers and tokens stay private", .limitedConcurrency)
struct SecrecyTests {
  /// A browser that records its arguments and environment, and writes to both streams as browsers do.
  private func recordingBrowser(in home: Home) throws -> String {
    try home.write(
      """
      #!/bin/sh
      echo "noise of a browser"
      echo "noise of a browser" >&2
      cat /proc/$$/cmdline > "\(home.path("seen-cmdline"))"
      cat /proc/$$/environ > "\(home.path("seen-environ"))"
      ls -l /proc/$$/fd > "\(home.path("seen-descriptors"))"
      echo done > "\(home.path("seen-all"))"
      """,
      to: "browser",
      mode: 0o700
    )
  }

  @Test("no argument that other users can read holds state, nonce or challenge; its link redirects the browser")
  func arguments() async throws {
    let fixture = try await ProviderMockFixture()
    let browser = try fixture.home.write(
      """
      #!/bin/sh
      echo "$1" > "\(fixture.home.path("seen.new"))"; mv "\(fixture.home.path("seen.new"))" "\(fixture.home.path("seen"))"
      for i in $(seq 300); do [ -e "\(fixture.home.path("release"))" ] && exit; sleep 0.1; done
      """,
      to: "browser",
      mode: 0o700
    )
    let login = try await fixture.startLogin("--browser", browser)
    let link = try await eventually("the browser") { fixture.home.read("seen") }.split(separator: "\n").joined()
    // As another user if the tests run as root.
    let reader = geteuid() == 0 ? ["setpriv", "--reuid", "12002", "--regid", "12002", "--clear-groups"] : []
    let scan = try ChildProcess(
      reader + ["/bin/sh", "-c", "cat /proc/[0-9]*/cmdline 2> /dev/null; true"],
      environment: ["PATH": "/usr/bin:/bin"]
    )
    _ = try await scan.end()
    try fixture.home.write("", to: "release")
    #expect(scan.stdout.contains(link), "the browser's arguments are not among those that were read")
    for name in ["state", "nonce", "code_challenge"] {
      let value = try #require(login.parameters[name])
      #expect(!scan.stdout.contains(value), "\(name) in an argument")
    }
    // The user may open it twice or reload the page.
    for _ in 0..<2 { #expect(try await HTTPClient.send("GET", link).header("location") == login.url) }
    let prefetch = try await HTTPClient.send("GET", link, headers: ["Sec-Purpose": "prefetch"])
    #expect(prefetch.status >= 400 && prefetch.header("location") == nil)
    #expect(try await fixture.complete(login).code == 0)
  }

  @Test("if the kernel doesn't report the peer's user, the browser's link works once, and the log has the reason")
  func linkOnce() async throws {
    let fixture = try await ProviderMockFixture()
    let library = try await PreloadedLibrary(PreloadedLibrary.noPeerOwners, in: fixture.home)
    let runner = CommandRunner(home: fixture.home, environment: library.environment)
    let seen = fixture.home.path("seen")
    let browser = try fixture.home.write(
      "#!/bin/sh\necho \"$1\" > \"\(seen).new\"; mv \"\(seen).new\" \"\(seen)\"\n",
      to: "browser",
      mode: 0o700
    )
    let login = try await PendingLogin(
      runner.start(["login"] + fixture.identity + ["--scope", "email", "--browser", browser, "-v"])
    )
    let link = try await eventually("the browser") { fixture.home.read("seen") }.split(separator: "\n").joined()
    #expect(try await HTTPClient.send("GET", link).header("location") == login.url)
    let again = try await HTTPClient.send("GET", link)
    #expect(again.status == 410 && again.header("location") == nil, "\(again)")
    let outcome = try await fixture.complete(login)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.stderr.contains("the kernel does not list socket owners"), "\(outcome)")
  }

  @Test("the code is in no file, not even in the token cache")
  func codeIsForgotten() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let spent = fixture.provider.proxy.values(of: "code").union(fixture.provider.proxy.values(of: "code_verifier"))
    #expect(spent.count >= 2)
    let files = fixture.home.files(below: ".")
    #expect(files.contains { $0.hasSuffix("token_cache.json") })
    for file in files {
      let text = try #require(fixture.home.read(file))
      for secret in spent { #expect(!text.contains(secret), "in \(file)") }
    }
  }

  @Test("the browser inherits no listener socket")
  func noInheritedSocket() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin("--browser", recordingBrowser(in: fixture.home))
    defer { login.child.killGroup() }
    _ = try await eventually("the browser's record") { fixture.home.read("seen-all") }
    let descriptors = try #require(fixture.home.read("seen-descriptors"))
    #expect(!descriptors.contains("socket:"), "\(descriptors)")
  }

  @Test("directories are 0700 and files 0600")
  func permissions() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    for folder in ["state/msauth", "cache/msauth"] {
      #expect(try mode(fixture.home.path(folder)) == 0o700, "\(folder)")
      for file in fixture.home.files(below: folder) {
        #expect(try mode(fixture.home.path("\(folder)/\(file)")) == 0o600, "\(folder)/\(file)")
      }
    }
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
  }
}

import Synchronization
import TestSupport
import Testing

@Suite("msauth graph", .limitedConcurrency)
struct GraphTests {
  private let fixture: ProviderMockFixture

  init() async throws { fixture = try await ProviderMockFixture.signedIn() }

  /// Responds with the request's method, target and body.
  private static func echo() throws -> ScriptedServer {
    try ScriptedServer { request, _ in
      let (method, path, body) = (request.method, request.path, request.body)
      return .json(
        JSONValue.object(["method": .string(method), "path": .string(path), "body": .string(body)]).serializedString()
      )
    }
  }

  @Test("a bare path is relative to Graph's endpoint; a custom endpoint is used as it is")
  func paths() async throws {
    let resource = try Self.echo()
    for (path, endpoint, expected) in [
      ([], "", "/v1.0/me"), (["me"], "", "/v1.0/me"), (["users/1/photo"], "", "/v1.0/users/1/photo"),
      (["/beta/me"], "", "/beta/me"), (["beta/me"], "", "/beta/me"), (["/userinfo"], "", "/userinfo"),
      (["me"], "/api", "/api/me"), (["/v1.0/me"], "/", "/v1.0/me"), (["/v1.0/me"], "/v1.0", "/v1.0/me"),
      (["me"], "/v1.0", "/v1.0/me"), (["beta/me"], "/api/v1.0/", "/api/beta/me"),
    ] as [([String], String, String)] {
      let outcome = try await fixture.run(["graph"] + path + ["--endpoint", resource.url + endpoint]).expect(0)
      #expect(try outcome.json["path"]?.string == expected, "\(path) at \(endpoint)")
    }
  }

  @Test("a large page is read, and one above the limit is rejected with a hint")
  func largePages() async throws {
    let page = #"{"value": ""# + String(repeating: "a", count: 2 << 20) + #""}"#
    let resource = try ScriptedServer { peer in
      guard peer.request.hasPrefix("GET /v1.0/more ") else { return peer.respond("200 OK", [], page) }
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: \((64 << 20) + 1)\r\n\r\n")
      peer.disconnect()
    }
    let large = try await fixture.run(["graph", "me", "--endpoint", resource.url])
    #expect(large.code == 0 && large.stdout == page, "\(large.code) \(large.stderr)")
    try await fixture.run(["graph", "more", "--endpoint", resource.url])
      .expect(1, "its body is larger than 64 MiB\n", "hint: request less at a time", stdout: "")
  }

  @Test("a whole URL at Graph's origin is used as it is, and the token is sent to no other origin")
  func wholeURLs() async throws {
    let (resource, other) = (try Self.echo(), try Self.echo())
    func run(_ url: String) async throws -> CommandRunner.Outcome {
      try await fixture.run("graph", url, "--endpoint", resource.url + "/api/")
    }
    let next = "/v1.0/users?$top=2&$skiptoken=RFNwdAIAAQ%2B"
    try await run(resource.url + next).expect(0, output: #""path":"/v1.0/users""#)
    #expect(resource.rawRequests.last?.hasPrefix("GET \(next) HTTP/1.1\r\n") == true, "\(resource.rawRequests)")
    let upperCase = try await run(resource.url.replacing("http:", with: "HTTP:") + "/me")
    #expect(upperCase.stdout.contains(#""path":"/me""#), "\(upperCase)")
    let count = resource.requests.count

    let elsewhere = [
      other.url + "/v1.0/me", resource.url + ".evil.example/me", resource.url + "0/me", "https://evil.example/me",
      resource.url.replacing("http:", with: "https:") + "/me", resource.url.replacing("//", with: "//x@") + "/me",
      resource.url.replacing("127.0.0.1", with: "localhost") + "/me", resource.url + "\\@evil.example/me",
    ]
    for url in elsewhere {
      try await run(url).expect(64, stdout: "")
    }
    let outcome = try await run("https://evil.example/me")
    #expect(outcome.stderr.contains("the URL isn't on the configured Graph (\(resource.url))\n"), "\(outcome)")
    #expect(other.requests.isEmpty && resource.requests.count == count)
  }

  @Test(
    "an error response is reported with the request and a hint",
    arguments: [
      (404, nil, 1, "hint: check the path: there is no /v1.0/nope here"), (503, nil, 5, "hint: try again later"),
      (429, "7", 5, "hint: try again in 7 s"),
      (
        403, nil, 1,
        "hint: the token has the scopes email openid profile; request those that this call needs with --scope"
      ),
    ] as [(Int, String?, Int32, String)]
  )
  func errorResponse(status: Int, retryAfter: String?, code: Int32, hint: String) async throws {
    let resource = try ScriptedServer { _, _ in
      var response = ScriptedServer.Response.json(#"{"error": "the API's words"}"#, status: status)
      response.headers["Retry-After"] = retryAfter
      return response
    }
    let outcome = try await fixture.run("graph", "nope?a=b", "--endpoint", resource.url)
    let lines = ["error: \(resource.url) returned \(status) for GET /v1.0/nope?a=b", #"{"error": "the API's words"}"#]
    let expected = (lines + [hint]).map { "msauth: \($0)\n" }.joined()
    #expect(outcome.code == code && outcome.stdout.isEmpty && outcome.stderr == expected, "\(outcome)")

    let terminal = try await fixture.runOnTerminal("graph", "nope?a=b", "--endpoint", resource.url)
    #expect(terminal.stdout.contains("error:") && terminal.stdout.contains("returned \(status)"), "\(terminal)")
  }

  @Test("a body is sent from the command line, a file or standard input; other methods need a flag")
  func bodies() async throws {
    let resource = try Self.echo()
    var fixture = fixture
    let file = try fixture.home.write(#"{"file": 1}"#, to: "body.json")
    func response(_ flags: [String]) async throws -> JSONValue {
      try await fixture.run(["graph", "me", "--endpoint", resource.url] + flags).expect(0).json
    }
    let text = try await response(["--body", #"{"text": 1}"#])
    #expect(text["method"] == "POST" && text["body"] == #"{"text": 1}"#)
    let patch = try await response(["--body", file, "--method", "patch"])
    #expect(patch["method"] == "PATCH" && patch["body"] == #"{"file": 1}"#)
    #expect(try await response(["--method", "DELETE"])["method"] == "DELETE")

    fixture.runner.prefix = ["/bin/sh", "-c", #"printf '[1]' | "$@""#, "sh"]
    #expect(try await response(["--body", "-"])["body"] == "[1]")
  }

  private static let image = "\u{89}PNG\r\n\0\u{fffd}"

  @Test("headers and a body of any type are sent")
  func anyContent() async throws {
    let resource = try ScriptedServer { peer in peer.respond("200 OK", ["Content-Type: image/png"], Self.image) }
    let file = try fixture.home.write(Self.image, to: "in.png")
    let headers = ["--header", "If-Match: *", "--header=Content-Type:image/png"]
    let put = ["graph", "me/photo", "--endpoint", resource.url, "--method", "PUT", "--input", file]
    try await fixture.run(put + headers).expect(0, stdout: Self.image)
    let request = try #require(resource.rawRequests.last)
    #expect(request.hasPrefix("PUT /v1.0/me/photo ") && request.contains("If-Match: *\r\n"), "\(request)")
    #expect(request.contains("Content-Type: image/png\r\n") && request.hasSuffix(Self.image), "\(request)")
  }

  @Test("a response of any type replaces a file, and an error leaves no file")
  func responseFile() async throws {
    let resource = try ScriptedServer { peer in
      if peer.request.hasPrefix("GET /v1.0/missing ") { return peer.respond("404 Not Found", [], "") }
      peer.respond("200 OK", ["Content-Type: image/png"], Self.image)
    }
    let output = try fixture.home.write(String(repeating: "old", count: 100), to: "out.png")
    let read = try await fixture.run("graph", "me/photo", "--endpoint", resource.url, "--output", output)
    #expect(read.code == 0 && read.stdout.isEmpty && fixture.home.read("out.png") == Self.image, "\(read)")
    try await fixture.runOnTerminal("graph", "me/photo", "--endpoint", resource.url)
      .expect(1, output: "the response is binary", "save it with --output FILE", lacks: "PNG")
    let absent = fixture.home.path("absent.png")
    let missing = try await fixture.run("graph", "missing", "--endpoint", resource.url, "--output", absent)
    #expect(missing.code == 1 && fixture.home.read("absent.png") == nil, "\(missing)")
    try await fixture.run("graph", "me/photo", "--endpoint", resource.url, "--output", "/dev/full")
      .expect(1, "hint: free space on that disk")
  }

  @Test("a redirect is followed without the token, and the other host's challenge is ignored")
  func redirect() async throws {
    let other = try ScriptedServer { peer in
      let challenge = #"WWW-Authenticate: Bearer error="insufficient_claims", claims="e30=""#
      if peer.request.hasPrefix("GET /challenged ") { return peer.respond("401 Unauthorized", [challenge], "") }
      if peer.request.hasPrefix("GET /file?") { return peer.respond("302 Found", ["Location: /end"], "") }
      peer.respond("200 OK", [], "elsewhere")
    }
    let resource = try ScriptedServer { peer in
      if peer.request.hasPrefix("GET /v1.0/old ") { return peer.respond("301 Moved", ["Location: ../new#part"], "") }
      if peer.request.hasPrefix("GET /new ") { return peer.respond("200 OK", [], "") }
      let path = peer.request.hasPrefix("GET /v1.0/moved ") ? "/file?signature=x" : "/challenged"
      peer.respond("302 Found", ["Location: \(other.url)\(path)"], "")
    }
    try await fixture.run("graph", "moved", "--endpoint", resource.url).expect(0, stdout: "elsewhere")
    let renamed = try await fixture.run("graph", "old", "--endpoint", resource.url, "--header", "Prefer: x")
    let last = try #require(resource.rawRequests.last)
    #expect(renamed.code == 0 && last.hasPrefix("GET /new ") && last.contains("Prefer: x\r\n"), "\(last)")
    #expect(last.contains("\r\nAuthorization: Bearer "), "\(last)")
    try await fixture.run("graph", "challenged", "--endpoint", resource.url)
      .expect(1, "error: \(other.url) returned 401")
    #expect(other.rawRequests.allSatisfy { !$0.contains("Authorization") }, "\(other.rawRequests)")
  }

  @Test("--output must name a file that can be written without waiting for a reader")
  func unusableFile() async throws {
    let resource = try Self.echo()
    let pipe = fixture.home.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for output in ["/none/x", "-", pipe] {
      try await fixture.run("graph", "--endpoint", resource.url, "--output", output).expect(64, "--output")
    }
    #expect(resource.requests.isEmpty)
  }

  @Test("a header that isn't valid or that msauth sets is rejected, and isn't shown")
  func invalidHeaders() async throws {
    for header in ["x", "Authorization: Bearer x", "DPoP: x", "a b: x", "a: x\u{1}"] {
      try await fixture.run("graph", "--header", header).expect(64, "--header", lacks: "Bearer")
    }
  }

  @Test("--paginate follows the next links of this Graph, and prints one array or a line per item")
  func pages() async throws {
    let isBusy = Mutex(true)
    let resource = try ScriptedServer { request, base in
      let next: String? =
        switch request.query["page"] {
        case nil: "\(base)/v1.0/me/messages?page=2"
        case "2": "\(base)/v1.0/me/messages?page=3"
        case "evil": "https://evil.example/x"
        case "same": "\(base)/v1.0/me/messages?page=same"
        case "loop": "\(base)/v1.0/me/messages?page=back"
        case "back": "\(base)/v1.0/me/messages?page=loop"
        case "text": "\(base)/v1.0/text"
        case "busy": "\(base)/v1.0/busy"
        case "arm": "\(base)/v1.0/me/messages?page=sharepoint"
        case "sharepoint": "/v1.0/me/messages?page=relative"
        case "relative": "messages?page=delta"
        default: nil
        }
      if request.path == "/v1.0/text" { return .json("text") }
      if request.query["page"] == "2", request.query["moved"] == nil {
        let headers = ["Location": "\(base)/v1.0/me/messages?page=2&moved=1"]
        return ScriptedServer.Response(302, "", headers: headers)
      }
      let throttles = isBusy.withLock { isBusy in
        defer { isBusy = isBusy && request.query["page"] != "2" }
        return isBusy && request.query["page"] == "2"
      }
      if throttles { return ScriptedServer.Response(429, "{}", headers: ["Retry-After": "0"]) }
      if request.path == "/v1.0/busy" { return .json("{}", status: 429) }
      let item: JSONValue = ["n": .string(request.query["page"] ?? "1")]
      var page: JSONValue.Object = ["value": [item]]
      let names = ["arm": "nextLink", "sharepoint": "odata.nextLink"]
      page[names[request.query["page"] ?? ""] ?? "@odata.nextLink"] = next.map { .string($0) }
      if request.query["page"] == "delta" { page["@odata.deltaLink"] = .string("\(base)/later") }
      return .json(JSONValue.object(page).serializedString())
    }
    let flags = ["--endpoint", resource.url, "--paginate"]
    let array = try await fixture.run(["graph", "me/messages"] + flags)
    #expect(try array.json == [["n": "1"], ["n": "2"], ["n": "3"]], "\(array)")
    try await fixture.run(["graph", "me/messages", "--lines"] + flags)
      .expect(0, stdout: "{\"n\":\"1\"}\n{\"n\":\"2\"}\n{\"n\":\"3\"}\n")
    // Other spellings of the link, and a relative one; the last page's link to later changes.
    let spelled = try await fixture.run(["graph", "me/messages?page=arm"] + flags)
    #expect(try spelled.json == [["n": "arm"], ["n": "sharepoint"], ["n": "relative"], ["n": "delta"]], "\(spelled)")
    #expect(spelled.stderr.contains("(@odata.deltaLink): \(resource.url)/later\n"), "\(spelled)")
    let failures = [
      ("evil", "isn't on the configured Graph"), ("same", "already read"), ("text", "isn't JSON"),
      ("busy", "returned 429"), ("loop", "page=loop, was already read"),
    ]
    for (page, words) in failures {
      let outcome = try await fixture.run(["graph", "me/messages?page=\(page)"] + flags)
      #expect(outcome.code == (page == "busy" ? 5 : 1) && outcome.stderr.contains(words), "\(outcome)")
      // The pages before, as a list that ends early.
      #expect(outcome.stdout.hasPrefix(#"[{"n":"\#(page)"}"#) && outcome.stdout.hasSuffix("}\n"), "\(outcome)")
    }
    #expect(resource.requests.count { $0.query["page"] == "same" } == 1)
  }

  @Test(
    "on a terminal, JSON is indented in its own order, other text is printed as it is, both without control characters",
    arguments: [
      (
        "{\"z\":[1,{}],\"a\":\"x\\\"{\u{9b}\",\"e\":[]}",
        ["{", #"  "z": ["#, "    1,", "    {}", "  ],", #"  "a": "x\"{\u009b","#, #"  "e": []"#, "}"]
      ),
      (
        "{\"displayName\": \"Ada\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}é\",\r\n\t\"id\": 1}",
        [#"{"displayName": "Ada\u001b]0;owned\u0007\u009b31m\u202eé","#, "\t\"id\": 1}"]
      ),
    ]
  )
  func layout(body: String, expected: [String]) async throws {
    let resource = try ScriptedServer { _, _ in .json(body) }
    let outcome = try await fixture.runOnTerminal("graph", "--endpoint", resource.url).expect(0)
    #expect(outcome.stdout.split(whereSeparator: \.isNewline).map(String.init) == expected, "\(outcome)")
    let piped = try await fixture.run("graph", "--endpoint", resource.url)
    #expect(Array(piped.stdout.utf8) == Array(body.utf8), "\(piped)")
  }

  @Test("on a terminal, a line shows what a response to a file is waiting for")
  func progress() async throws {
    let resource = try ScriptedServer { peer in peer.waitForClose() }
    let output = fixture.home.path("out.png")
    let child = try fixture.startOnTerminal("graph", "--endpoint", resource.url, "--output", output)
    defer { child.killGroup() }
    try await eventually("the line") { child.stdout.contains("msauth: waiting for the response, ") }
  }
}

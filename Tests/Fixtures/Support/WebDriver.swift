/// A running Chromium, driven as the W3C's WebDriver says.
package struct WebDriver: Sendable {
  private let base: String

  /// Attaches to a Chromium that listens for debuggers.
  ///
  /// - Parameters:
  ///   - driverPort: The port of `chromedriver`.
  ///   - debuggerPort: The port of Chromium.
  /// - Throws: ``TestFailure`` with the driver's words.
  init(driverPort: UInt16, debuggerPort: UInt16) async throws {
    let root = "http://127.0.0.1:\(driverPort)"
    let capabilities: JSONValue = [
      "capabilities": [
        "alwaysMatch": [
          "browserName": "chrome",
          "goog:chromeOptions": ["debuggerAddress": .string("127.0.0.1:\(debuggerPort)")],
        ]
      ]
    ]
    let session = try await Self.ask("POST", "\(root)/session", capabilities)
    guard let id = session["sessionId"]?.string else { throw TestFailure("no WebDriver session: \(session)") }
    base = "\(root)/session/\(id)"
  }

  /// The address in the address bar.
  package var address: String {
    get async throws { try await value("GET", "/url").string ?? "" }
  }

  /// The page's title.
  package var title: String {
    get async throws { try await value("GET", "/title").string ?? "" }
  }

  /// The text that a person sees.
  package var text: String {
    get async throws {
      let body = try await element("body")
      return try await value("GET", "/element/\(body)/text").string ?? ""
    }
  }

  /// Waits until the page shows a text.
  ///
  /// - Parameter expected: A part of what a person sees.
  /// - Returns: All that a person sees.
  /// - Throws: ``TestFailure`` with the page that is there instead.
  @discardableResult
  package func waitForText(_ expected: String) async throws -> String {
    do {
      return try await eventually("a page with “\(expected)”") {
        // The page may be between two addresses.
        guard let seen = try? await text, seen.contains(expected) else { return nil }
        return seen
      }
    } catch {
      throw TestFailure("\(error)\nat: \((try? await address) ?? "?")\nthere is: \((try? await text) ?? "?")")
    }
  }

  /// Waits for an element and clicks it.
  ///
  /// - Parameter selector: A CSS selector, such as `#approve`.
  /// - Throws: ``TestFailure`` with the page that is there instead.
  package func click(_ selector: String) async throws {
    do {
      // Chromium drops input before a page's first paint. The element may be hidden still, or replaced once found.
      _ = try await eventually("an element \(selector) to click") { () -> JSONValue? in
        guard let found = try? await element(selector),
          let painted = try? await run("return performance.getEntriesByType('paint').length > 0").bool,
          painted
        else { return nil }
        return try? await value("POST", "/element/\(found)/click", [:])
      }
    } catch {
      throw TestFailure("\(error)\nat: \((try? await address) ?? "?")\nthere is: \((try? await text) ?? "?")")
    }
  }

  /// Waits for a field and types into it.
  package func type(_ text: String, into selector: String) async throws {
    let field = try await eventually("a field \(selector)") { try? await element(selector) }
    _ = try await value("POST", "/element/\(field)/value", ["text": .string(text)])
  }

  /// Goes to an address.
  package func open(_ url: String) async throws {
    _ = try await value("POST", "/url", ["url": .string(url)])
  }

  /// Goes one page back.
  package func back() async throws {
    _ = try await value("POST", "/back", [:])
  }

  /// Loads the page again.
  package func refresh() async throws {
    _ = try await value("POST", "/refresh", [:])
  }

  /// Waits for a tab that another program opened, and turns to it.
  ///
  /// - Throws: ``TestFailure`` when there is none but the present one.
  package func turnToNewTab() async throws {
    let present = try await value("GET", "/window")
    let other = try await eventually("a second tab") {
      try await value("GET", "/window/handles").array?.first { $0 != present }
    }
    _ = try await value("POST", "/window", ["handle": other])
  }

  /// Runs a script in the page.
  ///
  /// - Parameter script: The body of a function.
  /// - Returns: What it returns.
  /// - Throws: ``TestFailure`` with the driver's words.
  package func run(_ script: String) async throws -> JSONValue {
    try await value("POST", "/execute/sync", ["script": .string(script), "args": []])
  }

  /// The addresses that the back button could lead to, the present one among them.
  package var history: [String] {
    get async throws {
      let answer = try await value(
        "POST",
        "/goog/cdp/execute",
        ["cmd": "Page.getNavigationHistory", "params": [:]]
      )
      return (answer["entries"]?.array ?? []).compactMap { $0["url"]?.string }
    }
  }

  /// Leaves a picture of the page for people to look at, where they asked for it.
  ///
  /// - Parameter name: The file's name without extension.
  /// - Throws: ``TestFailure`` when there is no picture.
  package func screenshot(_ name: String) async throws {
    guard let folder = BuiltProducts.screenshots else { return }
    guard let encoded = try await value("GET", "/screenshot").string, let picture = Data(base64Encoded: encoded)
    else { throw TestFailure("no picture of the page") }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try picture.write(to: folder.appending(path: "\(name).png"))
  }

  private func element(_ selector: String) async throws -> String {
    let found = try await value("POST", "/element", ["using": "css selector", "value": .string(selector)])
    // The name of an element reference is a constant of the standard.
    guard let id = found["element-6066-11e4-a52e-4f735466cecf"]?.string else {
      throw TestFailure("no element \(selector)")
    }
    return id
  }

  func value(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
    try await Self.ask(method, base + path, body)
  }

  private static func ask(_ method: String, _ url: String, _ body: JSONValue?) async throws -> JSONValue {
    let text = body.map { String(decoding: $0.serialized(), as: UTF8.self) }
    let answer = try await HTTPClient.send(method, url, headers: ["Content-Type": "application/json"], body: text)
    let value = try JSONValue(parsing: answer.body.utf8)["value"] ?? .null
    guard answer.status == 200 else {
      throw TestFailure("WebDriver: \(value["error"]?.string ?? "?"): \(value["message"]?.string ?? answer.body)")
    }
    return value
  }
}

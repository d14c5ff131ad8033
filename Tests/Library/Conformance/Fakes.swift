@testable import DemoProvider
import MSAuthDesktop
import Synchronization
import TestSupport

@testable import MSAuth

/// A scripted browser whose user consents to everything.
final class WalkingBrowser: BrowserOpening {
  private struct State {
    var onErrorPage: (@Sendable () -> Void)?
    var hasErrorPage = false
    var titles: [String] = []
  }

  private let walker = ScriptedBrowser()
  private let state = Mutex(State())

  func open(_ url: URL, until _: OneShot<Void>) async throws(AuthenticationError) -> String {
    Task {
      let page = try? await walker.walk(from: url.absoluteString, as: "ada")
      // After an error page no redirect follows.
      guard page.map({ $0.response.status >= 400 }) ?? true else {
        return state.withLock { $0.titles.append(page?.title ?? "") }
      }
      let action = state.withLock { state in
        state.hasErrorPage = true
        return state.onErrorPage
      }
      action?()
    }
    return "the walking browser"
  }

  /// Calls the action once the browser has shown an error, even if it already has.
  func onErrorPage(_ action: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.onErrorPage = action
      defer { state.hasErrorPage = false }
      return state.hasErrorPage
    }
    if isLate { action() }
  }

  /// The title of the final page, which is shown shortly after the application is done.
  func lastTitle() async throws -> String {
    try await eventually("the page at the end") { state.withLock { $0.titles.last } }
  }
}

final class MemoryDocuments: DocumentCache {
  private let documents = Mutex<[String: (bytes: [UInt8], fetched: UnixTime)]>([:])

  func document(_ name: String) -> (bytes: [UInt8], fetched: UnixTime)? { documents.withLock { $0[name] } }

  func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) { documents.withLock { $0[name] = (bytes, fetched) } }

  /// Removes documents, like a deleted cache.
  func forget(where isLost: (String) -> Bool) { documents.withLock { $0 = $0.filter { !isLost($0.key) } } }
}

/// Lines that tasks append and a test reads.
final class Notes: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  var all: [String] { lines.withLock { $0 } }
}

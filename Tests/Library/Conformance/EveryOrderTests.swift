import Synchronization
import TestSupport
import Testing

@testable import MSAuth
@testable import MSAuthCache

@Suite("every order of two processes' steps, and every moment at which one may be killed, or lose a new lock")
struct EveryOrderTests {
  enum Command: String {
    case refresh, signOut
  }

  @Test(
    "no refresh token is sent twice, no session is lost with its response stored, and a sign-out lasts",
    arguments: [[Command.refresh, .refresh], [.refresh, .signOut]]
  )
  func pair(_ commands: [Command]) async throws {
    let home = try Home()
    let (fixture, account) = try await ApplicationFixture().signedIn()
    // So long ago that a rejected refresh token isn't expected to be replaced by another program soon.
    fixture.clock.advance(by: 10_000)
    let document = try await fixture.store.load()
    let tokens = try JSONValue(parsing: document.serialized())["RefreshToken"]?.object
    let refreshToken = try #require(tokens?.values.first?["secret"]?.string)

    var choices = Choices()
    var runs = 0
    repeat {
      runs += 1
      let world = World(document, refreshToken: refreshToken, journal: Journal(beside: home.path("cache-\(runs)")))
      let tasks = try commands.enumerated().map { number, command in
        let application = try application(number, in: world, like: fixture.application)
        return world.start {
          switch command {
          case .refresh: _ = try await application.silent(account, force: true)
          case .signOut: _ = try await application.signOut(account)
          }
        }
      }
      await world.run(&choices)
      var results: [Result<Void, any Error>] = []
      for task in tasks { results.append(await task.result) }
      try await check(results, of: commands, account, in: world, like: fixture.application)
    } while choices.next()
    #expect(runs > 50)
  }

  private func application(
    _ process: Int,
    in world: World,
    like other: PublicClientApplication
  ) throws -> PublicClientApplication {
    var dependencies = other.context.dependencies
    dependencies.store = StoreChoice(WorldStore(world: world, process: process))
    dependencies.transport = WorldTransport(world: world, process: process)
    return try PublicClientApplication(configuration: other.configuration, dependencies: dependencies)
  }

  private func check(
    _ results: [Result<Void, any Error>],
    of commands: [Command],
    _ account: Account,
    in world: World,
    like other: PublicClientApplication
  ) async throws {
    let state = world.state.withLock { state in
      state.killed = []
      defer { state.trace = [] }
      return state
    }
    let trace = Comment(rawValue: state.trace.joined(separator: ", "))
    let killed = state.trace.first { $0.hasSuffix("killed") }
    // Its response never arrived.
    let mayLose = killed?.contains("receive") == true
    let isSignedOut = zip(commands, results).contains { command, result in
      command == .signOut && (try? result.get()) != nil
    }
    // A later process, which nothing interrupts.
    let application = try application(9, in: world, like: other)
    let later = world.start { try await application.silent(account, force: true) }
    var none = Choices()
    await world.run(&none)
    let outcome = await later.result
    switch outcome {
    case .success: #expect(!isSignedOut, trace)
    case .failure: #expect(isSignedOut || mayLose, trace)
    }
    if !mayLose {
      #expect(world.state.withLock(\.reused) == 0, trace)
      for (number, result) in results.enumerated() where killed?.hasPrefix("\(number) ") != true {
        // A refresh beside a sign-out may fail.
        guard commands[number] == .signOut || !commands.contains(.signOut) else { continue }
        #expect(throws: Never.self, trace) { try result.get() }
      }
    }
  }
}

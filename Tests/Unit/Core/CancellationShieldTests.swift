import MSAuthCore
import Testing

@Suite("cancellation shields")
struct CancellationShieldTests {
  @Test("a noted request is awaited while its shield is up, although another one ends")
  func overlap() async throws {
    let isAwaited = try await withCancellationShield(grace: .zero) {
      CancellationShield.noteRequest()
      try await withCancellationShield(grace: .zero) {}
      return CancellationShield.awaitsResponse
    }
    #expect(isAwaited)
  }
}

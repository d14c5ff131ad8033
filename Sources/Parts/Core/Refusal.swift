/// Why a value is rejected, as the end of a sentence that begins with its name.
package struct Refusal: Error, Sendable, Hashable {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}

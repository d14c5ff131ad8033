/// A request that the provider got, for tests that judge what a client did next.
package struct RecordedRequest: Sendable, Equatable {
  /// A parameter of the query or of a form.
  package struct Parameter: Sendable, Equatable {
    package var name: String
    package var value: String
  }

  package var method: String
  package var path: String
  /// Those of the query, then those of the form, in their order.
  package var parameters: [Parameter]
  /// The token of `Authorization: Bearer` or `DPoP`, when there was one.
  package var bearer: String?
  /// The proof of possession, when there was one.
  package var proof: String?
  /// What the provider answered with.
  package var status: Int

  /// The first parameter of that name.
  package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
}

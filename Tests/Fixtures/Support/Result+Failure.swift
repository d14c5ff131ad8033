extension Result {
  /// The error; `nil` after a success.
  package var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

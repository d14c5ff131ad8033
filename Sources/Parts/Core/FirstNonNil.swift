extension Sequence {
  /// Returns the first result that isn't `nil`.
  ///
  /// It calls the closure once per element. `lazy.compactMap(_:).first` calls it twice for the result, and crashes if
  /// the second call returns `nil`.
  package func firstNonNil<Result, Failure>(
    _ transform: (Element) throws(Failure) -> Result?
  ) throws(Failure) -> Result? {
    for element in self {
      if let result = try transform(element) { return result }
    }
    return nil
  }
}

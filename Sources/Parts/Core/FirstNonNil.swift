extension Sequence {
  /// Returns the first result that isn't `nil`.
  ///
  /// Unlike `lazy.compactMap(_:).first`, it calls the closure once per element: that calls it twice for the result, and
  /// crashes if the second call returns `nil`.
  package func firstNonNil<Result, Failure>(
    _ transform: (Element) throws(Failure) -> Result?
  ) throws(Failure) -> Result? {
    for element in self {
      if let result = try transform(element) { return result }
    }
    return nil
  }
}

/// The libraries and programs of this package.
package enum Product {
  package static let version = "0.1.0"
}

/// What the browser shows at the end of a flow: one document without script or outside resource.
package struct Page: Sendable, Equatable {
  /// The whole document; everything from outside is escaped in it.
  package let html: String
  /// The hash source of its inline style, `sha256-…`, for the content security policy.
  package let styleSource: String
}

import FlyingFox

extension Endpoints {
  /// The page of the provider's own address.
  func welcome() -> HTTPResponse {
    .page(
      PageFrame.render(
        title: "It works",
        body: """
          <p>Two providers live here. One behaves like Microsoft Entra ID:</p>
          <p><code>\(baseURL)/common</code></p>
          <p>The other one is a plain OpenID provider:</p>
          <p><code>\(baseURL)/oidc</code></p>
          """
      )
    )
  }
}

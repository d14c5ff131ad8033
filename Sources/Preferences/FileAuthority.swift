/// An entry of `authorities`, as far as it was given.
package struct FileAuthority {
  package var type: String?
  package var url: String?
  package var tenant: String?

  package init(type: String? = nil, url: String? = nil, tenant: String? = nil) {
    self.type = type
    self.url = url
    self.tenant = tenant
  }
}

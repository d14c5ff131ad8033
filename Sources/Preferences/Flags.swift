/// What a command line may say over everything else, each value optional.
package struct Flags {
  package var clientID: String?
  package var authority: String?
  package var authorityType: String?
  package var profile: String?
  package var config: String?
  package var store: String?
  package var cacheFile: String?

  package init() {}
}

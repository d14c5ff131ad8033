import Testing

@testable import MSAuthAzure

@Suite("package feeds of Azure Artifacts")
struct PackageFeedTests {
  @Test(
    "feeds' URLs and hosts, as pip and uv pass them",
    arguments: [
      "https://pkgs.dev.azure.com/contoso/_packaging/feed/pypi/simple/", "pkgs.dev.azure.com",
      "HTTPS://PKGS.dev.azure.com/x",
      "https://VssSessionToken@pkgs.dev.azure.com/contoso/_packaging/feed@Release/pypi/simple/",
      "https://pkgs.dev.azure.com/contoso/My%20Project/_packaging/feed@Release/pypi/simple", "ada@pkgs.dev.azure.com",
      "https://ada%40contoso.example@contoso.pkgs.visualstudio.com/_packaging/feed/pypi/simple/",
    ]
  )
  func feed(_ name: String) { #expect(PackageFeed.accepts(name)) }

  @Test(
    "names that another program could read as another server",
    arguments: [
      "localhost:1?@pkgs.dev.azure.com/simple", "localhost:1#@pkgs.dev.azure.com/", "localhost:1\\@pkgs.dev.azure.com/",
      "localhost:1/@pkgs.dev.azure.com/", "u@localhost:1?@pkgs.dev.azure.com/", "u@localhost@pkgs.dev.azure.com/",
      "localhost:1@pkgs.dev.azure.com/", "[::1]@pkgs.dev.azure.com", "u@@pkgs.dev.azure.com",
      "pkgs.dev.azure.com@localhost",
      "pkgs.dev.azure.com?x", "pkgs.dev.azure.com/#x", "pkgs.dev.azure.com:8443/", "pkgs.dev.azure.com:443",
      "pkgs.dev.azure.com./", "pkgs.dev.azure.com.evil.example/", "evilpkgs.dev.azure.com", "x.pkgs.dev.azure.com",
      ".pkgs.visualstudio.com", "pkgs.visualstudio.com", "a.b.pkgs.visualstudio.com", "evil.example/pkgs.dev.azure.com",
      "pkgs.dev.azure.com\\.evil.example", "pkgs.dev.azure.com%2f.evil.example", "\tpkgs.dev.azure.com",
      "pkgs.dev.azure.com\n.evil.example", "u\t@pkgs.dev.azure.com", "é@pkgs.dev.azure.com",
      "pkgs.dev.azure.com/a/../b", "",
    ]
  )
  func other(_ name: String) {
    for prefix in ["https://", ""] { #expect(!PackageFeed.accepts(prefix + name), "\(prefix + name)") }
  }

  @Test("other schemes", arguments: ["http://", "ftp://", "//", "https:/", "https:", "https://https://"])
  func scheme(_ scheme: String) { #expect(!PackageFeed.accepts(scheme + "pkgs.dev.azure.com/x")) }
}

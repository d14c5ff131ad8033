import Glibc

/// Called by libFuzzer with each input; `MSAUTH_FUZZER` names the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzzer(Input(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

private let fuzzer: @Sendable (Input) -> Void = {
  let name = getenv("MSAUTH_FUZZER").map { String(cString: $0) } ?? ""
  guard let fuzzer = fuzzers[name] else {
    let names = fuzzers.keys.sorted().joined(separator: ", ")
    fatalError("MSAUTH_FUZZER is \"\(name)\"; it is one of \(names)")
  }
  return fuzzer
}()

private let fuzzers: [String: @Sendable (Input) -> Void] = [
  "broker": fuzzBroker,
  "cache": fuzzCache,
  "challenge": fuzzChallenge,
  "claims": fuzzClaims,
  "configuration": fuzzConfiguration,
  "json": fuzzJSON,
  "key-set": fuzzKeySet,
  "mcp": fuzzMCP,
  "provider": fuzzProvider,
  "redirect": fuzzRedirect,
  "request": fuzzRequest,
  "text": fuzzText,
  "token": fuzzToken,
  "url": fuzzURL,
]

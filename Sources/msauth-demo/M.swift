import DemoProvider
import Glibc
@main struct M { static func main() async throws {
  let p = try await DemoProvider.start(); print(p.baseURL); fflush(nil)
  try await Task.sleep(for: .seconds(600)) 
} }

import MSAuthDesktop
import MSAuthPages
import MSAuthUnix

extension XDGDirectories {
  /// The user's templates have precedence over the computer's.
  var templateDirectories: [String] { [config.appendingPathComponent("templates"), "/etc/msauth/templates"] }
}

/// The pages' template and logo; an unusable one is left out with a warning, and never ends a sign-in.
extension ClientConfiguration {
  /// The application's pages; the files are read before the browser opens.
  func pages(in directories: [String]) async -> OutcomePages {
    let (design, problems) = await pageDesign(in: directories)
    for problem in problems { log(.warning, "\(user: problem)") }
    return OutcomePages(application: applicationName, design: design)
  }

  func pageDesign(in directories: [String]) async -> (design: PageDesign, problems: [String]) {
    await BackgroundThread.run { [appearance] _ in
      var (template, logo, problems) = (PageTemplate.builtIn, PageLogo?.none, [String]())
      do throws(Rejection) {
        template = try Self.template(in: directories)
      } catch {
        problems.append("\(error.reason); the built-in page is shown instead")
      }
      do throws(Rejection) {
        if let path = appearance?.logo { logo = try Self.logo(at: path) }
      } catch {
        problems.append("\(error.reason); the pages have no logo")
      }
      return (PageDesign(template: template, logo: logo, accent: appearance?.accent), problems)
    }
  }

  /// The template of the first directory that contains one of its files; the built-in template provides the other.
  private static func template(in directories: [String]) throws(Rejection) -> PageTemplate {
    for directory in directories {
      func content(of file: PageTemplate.File) throws(Rejection) -> [UInt8]? {
        try trustedContent(of: directory.appendingPathComponent(file.rawValue), limit: PageTemplate.maximumSize)
      }
      let (page, style) = (try content(of: .document), try content(of: .style))
      guard page != nil || style != nil else { continue }
      do throws(Rejection) {
        return try PageTemplate(document: page, style: style)
      } catch {
        throw Rejection(directory.appendingPathComponent(error.reason).printable(limit: 500))
      }
    }
    return .builtIn
  }

  private static func logo(at path: String) throws(Rejection) -> PageLogo {
    guard let bytes = try trustedContent(of: path, limit: PageLogo.maximumSize) else {
      throw Rejection("\(FileError(.missing, path))")
    }
    do throws(Rejection) {
      return try PageLogo(bytes)
    } catch {
      throw Rejection("\(path.printable(limit: 300)) \(error.reason)")
    }
  }

  /// Another user must not be able to write a page that shows who signed in, and what to do next.
  private static func trustedContent(of path: String, limit: Int) throws(Rejection) -> [UInt8]? {
    do throws(FileError) {
      return try readTrustedFile(at: path, limit: limit)
    } catch {
      if error.reason == .missing { return nil }
      let hint = error.hint.map { "; \($0)" } ?? ""
      let what = error.path == path ? "\(error)" : "\(path.printable(limit: 300)) isn't trusted, because \(error)"
      throw Rejection(what + hint)
    }
  }
}

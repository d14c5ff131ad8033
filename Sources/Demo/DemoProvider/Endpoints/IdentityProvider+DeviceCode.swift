import FlyingFox
import MSAuthCore

extension IdentityProvider {
  /// The device authorization endpoint (RFC 8628 §3.1, §3.2).
  func startDevice(_ request: ProviderRequest, at kind: ProviderKind) throws -> HTTPResponse {
    let client = try checkClient(request)
    let scopes = request.form.words("scope")
    guard !scopes.isEmpty else { throw ProtocolError("invalid_scope", "There is no scope.", aadsts: 70011) }
    try DemoScopes.check(scopes)
    let access = Access(
      kind: kind,
      client: client,
      scopes: scopes,
      wantsClientInfo: request.form["client_info"] == "1"
    )
    let (deviceCode, device) = (RandomString.token(), PendingDevice(access: access, expires: now + Self.deviceLifetime))
    devices[deviceCode] = device
    let address = "\(baseURL)/devicelogin"
    var response: JSONValue.Object = [
      "device_code": .string(deviceCode),
      "user_code": .string(device.userCode),
      "verification_uri": .string(address),
      "expires_in": .number(JSONValue.Number(Self.deviceLifetime)),
      "interval": .number(JSONValue.Number(Self.devicePollingInterval)),
    ]
    if kind.isEntra {
      response["message"] = .string(
        "To sign in, use a web browser to open the page \(address) and enter the code \(device.userCode) to authenticate."
      )
    } else {
      response["verification_uri_complete"] = .string("\(address)?user_code=\(device.userCode)")
    }
    return .json(.object(response))
  }

  /// The page for the device's code (RFC 8628 §3.3).
  func deviceLogin(_ request: ProviderRequest) -> HTTPResponse {
    let browser = browser(request.cookie)
    let typed = request.parameters["user_code"].map { $0.uppercased().filter { $0.isLetter } }
    let isPosted = request.method == "POST"
    // Prevents cross-site request forgery: SameSite keeps the cookie out of other sites' forms.
    guard isPosted, request.cookie == browser.id, let typed, device(userCode: typed) != nil else {
      return .devicePage(typed ?? "", isWrong: isPosted).settingCookie(of: browser)
    }
    return continueSignIn(open(.device(userCode: typed), in: browser)).settingCookie(of: browser)
  }

  func continueDevice(_ userCode: String, _ page: PendingPage) -> HTTPResponse {
    guard let access = device(userCode: userCode)?.access else { return .expired }
    let signIns = browser(page.browserID).signIns
    guard let user = page.user else {
      let users = DemoUser.all.filter(access.kind.admits)
      return .accountPicker(pageID: page.id, users, signedIn: signIns.map(\.user))
    }
    guard access.kind.admits(user) else { return errorPage(.accountNotInTenant(user), at: access.kind) }
    // Always requires consent, since an attacker may have sent the code (RFC 8628 §5.4).
    guard page.hasConsented else {
      return .consentPage(pageID: page.id, user, access.client, access.scopes)
    }
    pendingPages[page.id] = nil
    return finishDevice(userCode, signIns.first { $0.user == user })
  }

  /// Records the result for the device; `nil` if the user denied it.
  func finishDevice(_ userCode: String, _ signIn: BrowserSession.SignIn?) -> HTTPResponse {
    if let code = devices.first(where: { $0.value.userCode == userCode })?.key {
      devices[code]?.answer = signIn.map { .allowed($0) } ?? .denied
    }
    return .page(
      signIn == nil ? "Sign-in was canceled" : "You’re signed in on your device",
      "<p id=\"done\">You can close this window.</p>"
    )
  }
}

extension HTTPResponse {
  /// `typed` is the code so far, or the one in the link.
  fileprivate static func devicePage(_ typed: String, isWrong: Bool) -> HTTPResponse {
    let error: HTML = #"<p class="error" id="wrong" role="alert">That code didn’t work. Check it and try again.</p>"#
    return .page(
      "Enter the code shown on your device",
      """
      \(isWrong ? error : "")
      <p>Enter a code only if your own device shows it. A code from someone else could let them sign in as you.</p>
      <form method="post" action="/devicelogin">
      <label for="user_code">Code</label>
      <input id="user_code" name="user_code" value="\(typed)" autocomplete="off" autofocus>
      <div class="row"><button class="primary" id="next">Next</button></div>
      </form>
      """
    )
  }
}

import FlyingFox
import Foundation
import MSAuthCore

extension Endpoints {
  /// The device authorization endpoint (RFC 8628 §3.1, §3.2).
  func startDevice(_ request: Request, at kind: ProviderKind) async -> HTTPResponse {
    do {
      try checkClient(request)
    } catch {
      return await refuse(error, request, at: kind)
    }
    let clientID = request.form["client_id"] ?? RegisteredClient.demo.id
    let scopes = request.form.words("scope")
    guard !scopes.isEmpty, scopes.allSatisfy({ DemoScopes.meaning(of: $0) != nil }) else {
      return await refuse(ProtocolError("invalid_scope", "The scope is unknown.", aadsts: 70011), request, at: kind)
    }
    let (deviceCode, device) = await state.startDevice(
      scopes: scopes,
      clientID: clientID,
      wantsClientInfo: request.form["client_info"] == "1",
      at: kind
    )
    let address = "\(baseURL)/devicelogin"
    var response: JSONValue.Object = [
      "device_code": .string(deviceCode),
      "user_code": .string(device.userCode),
      "verification_uri": .string(address),
      "expires_in": .number(JSONValue.Number(ProviderState.deviceCodeLifetime)),
      "interval": .number(JSONValue.Number(state.options.devicePollingInterval)),
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
  func deviceLogin(_ request: Request) async -> HTTPResponse {
    let browser = await state.browser(request.cookie)
    let typed = request.parameters["user_code"].map { $0.uppercased().filter { $0.isLetter } }
    guard request.method == "POST" else {
      return .page(DevicePage(typed: typed, isWrong: false).html).with(browser)
    }
    // Prevents cross-site request forgery: SameSite keeps the cookie out of other sites' forms.
    guard request.cookie == browser.id, let typed, await state.device(userCode: typed) != nil else {
      return .page(DevicePage(typed: typed, isWrong: true).html).with(browser)
    }
    return await continueSignIn(await state.open(.device(userCode: typed), in: browser)).with(browser)
  }

  func continueDevice(_ userCode: String, _ interaction: Interaction) async -> HTTPResponse {
    guard let device = await state.device(userCode: userCode) else { return expiredPage }
    guard let user = interaction.user else {
      let picker = AccountPicker(
        flow: interaction.id,
        users: DemoUser.all.filter(device.kind.admits),
        signedIn: await state.browser(interaction.browserID).signIns.map(\.user),
        hint: nil,
        creates: false
      )
      return .page(picker.html)
    }
    guard device.kind.admits(user) else { return await errorPage(.accountNotInTenant(user), at: device.kind) }
    // Always asks for consent, since an attacker may have sent the code (RFC 8628 §5.4).
    guard interaction.hasConsented else {
      let client = RegisteredClient.registered(device.clientID) ?? .demo
      return .page(ConsentPage(flow: interaction.id, user: user, client: client, scopes: device.scopes).html)
    }
    await state.close(interaction)
    return await finishDevice(userCode, as: user, in: interaction.browserID)
  }

  /// Records the result for the device; `user` is `nil` if the user denied it.
  func finishDevice(_ userCode: String, as user: DemoUser?, in browserID: String) async -> HTTPResponse {
    let signIn = await state.browser(browserID).signIns.first { $0.user == user }
    await state.answerDevice(userCode: userCode, signIn)
    let title = signIn == nil ? "Sign-in was canceled" : "You’re signed in on your device"
    return .page(PageFrame.render(title: HTML("\(title)"), body: "<p id=\"done\">You can close this window.</p>"))
  }
}

struct DevicePage {
  /// The code so far, or the one in the link.
  var typed: String?
  var isWrong: Bool

  var html: HTML {
    let error: HTML =
      "<p class=\"error\" id=\"wrong\" role=\"alert\">That code didn’t work. Check it and try again.</p>"
    return PageFrame.render(
      title: "Enter the code shown on your device",
      body: """
        \(isWrong ? error : nil)
        <p>Only enter a code from your own device. Anyone else who gave you a code could sign in as you.</p>
        <form method="post" action="/devicelogin">
        <label for="user_code">Code</label>
        <input id="user_code" name="user_code" value="\(typed ?? "")" autocomplete="off" autofocus>
        <div class="row"><button class="primary" id="next">Next</button></div>
        </form>
        """
    )
  }
}

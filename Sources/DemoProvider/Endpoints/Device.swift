import FlyingFox
import Foundation
import Core

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
      return await refuse(ProtocolError("invalid_scope", "The scope is not known.", aadsts: 70011), request, at: kind)
    }
    let (deviceCode, device) = await state.startDevice(
      scopes: scopes,
      clientID: clientID,
      wantsClientInfo: request.form["client_info"] == "1",
      at: kind
    )
    let address = "\(baseURL)/devicelogin"
    var response: JSON.Object = [
      "device_code": .string(deviceCode),
      "user_code": .string(device.userCode),
      "verification_uri": .string(address),
      "expires_in": .number(JSON.Number(ProviderState.deviceCodeLifetime)),
      "interval": .number(JSON.Number(state.options.devicePollingInterval)),
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

  /// The page where the person types the device's code (RFC 8628 §3.3).
  func deviceLogin(_ request: Request) async -> HTTPResponse {
    let browser = await state.browser(request.cookie)
    let typed = request.parameters["user_code"].map { $0.uppercased().filter { $0.isLetter } }
    guard request.method == "POST" else {
      return .page(DevicePage(typed: typed, isWrong: false).html).with(browser)
    }
    // The cookie is this form's protection: SameSite keeps it from foreign forms.
    guard request.cookie == browser.id, let typed, await state.device(userCode: typed) != nil else {
      return .page(DevicePage(typed: typed, isWrong: true).html).with(browser)
    }
    return await continueSignIn(await state.open(.device(userCode: typed), in: browser)).with(browser)
  }

  /// Takes a device's sign-in to its next page.
  func continueDevice(_ userCode: String, _ interaction: Interaction) async -> HTTPResponse {
    guard let device = await state.device(userCode: userCode) else { return expiredPage }
    guard let person = interaction.person else {
      let picker = AccountPicker(
        flow: interaction.id,
        people: Person.all.filter(device.kind.admits),
        signedIn: await state.browser(interaction.browserID).signIns.map(\.person),
        hint: nil,
        creates: false
      )
      return .page(picker.html)
    }
    guard device.kind.admits(person) else { return await errorPage(.accountNotInTenant(person), at: device.kind) }
    // An attacker may have sent the code, so the person is always asked (RFC 8628 §5.4).
    guard interaction.hasConsented else {
      let client = RegisteredClient.registered(device.clientID) ?? .demo
      return .page(ConsentPage(flow: interaction.id, person: person, client: client, scopes: device.scopes).html)
    }
    await state.close(interaction)
    return await finishDevice(userCode, as: person, in: interaction.browserID)
  }

  /// Records the answer for the device, and shows the last page.
  ///
  /// - Parameters:
  ///   - userCode: The device's code.
  ///   - person: Who signed in; nil when the person refused.
  ///   - browserID: The browser's session.
  /// - Returns: The last page.
  func finishDevice(_ userCode: String, as person: Person?, in browserID: String) async -> HTTPResponse {
    let signIn = await state.browser(browserID).signIns.first { $0.person == person }
    await state.answerDevice(userCode: userCode, signIn)
    let title = signIn == nil ? "The sign-in was cancelled" : "You have signed in on your device"
    return .page(PageFrame.render(title: HTML("\(title)"), body: "<p id=\"done\">You can close this window.</p>"))
  }
}

/// The page that asks for a device's code.
struct DevicePage {
  /// The code typed so far, or from the link.
  var typed: String?
  var isWrong: Bool

  var html: HTML {
    let note: HTML? =
      isWrong ? "<p id=\"wrong\" role=\"alert\">That code did not work. Check it and try again.</p>" : nil
    return PageFrame.render(
      title: "Enter the code of your device",
      body: """
        \(note)
        <p>Enter only a code that your own device shows: whoever gave it to you would be signed in as you.</p>
        <form method="post" action="/devicelogin">
        <label for="user_code">Code</label>
        <input id="user_code" name="user_code" value="\(typed ?? "")" autocomplete="off" autofocus>
        <div class="row"><button class="primary" id="next">Next</button></div>
        </form>
        """
    )
  }
}

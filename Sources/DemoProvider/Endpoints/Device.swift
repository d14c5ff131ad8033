import FlyingFox
import Foundation
import Core

extension Endpoints {
  /// The device authorization endpoint (RFC 8628 §3.1, §3.2).
  func startDevice(_ call: Call, at flavour: Flavour) async -> HTTPResponse {
    do {
      try checkClient(call)
    } catch {
      return await refuse(error, call, at: flavour)
    }
    let clientID = call.form["client_id"] ?? RegisteredClient.demo.id
    let scopes = call.form.words("scope")
    guard !scopes.isEmpty, scopes.allSatisfy({ DemoScopes.meaning(of: $0) != nil }) else {
      return await refuse(ProtocolError("invalid_scope", "The scope is not known.", aadsts: 70011), call, at: flavour)
    }
    let (deviceCode, device) = await state.startDevice(
      scopes: scopes,
      clientID: clientID,
      wantsClientInfo: call.form["client_info"] == "1",
      at: flavour
    )
    let address = "\(baseURL)/devicelogin"
    var response: [String: JSONValue] = [
      "device_code": .string(deviceCode),
      "user_code": .string(device.userCode),
      "verification_uri": .string(address),
      "expires_in": .number(Decimal(ProviderState.deviceCodeLifetime)),
      "interval": .number(Decimal(state.options.devicePollingInterval)),
    ]
    if flavour.isEntra {
      response["message"] = .string(
        "To sign in, use a web browser to open the page \(address) and enter the code \(device.userCode) to authenticate."
      )
    } else {
      response["verification_uri_complete"] = .string("\(address)?user_code=\(device.userCode)")
    }
    return .json(.object(response))
  }

  /// The page where the person types the device's code (RFC 8628 §3.3).
  func deviceLogin(_ call: Call) async -> HTTPResponse {
    let browser = await state.browser(call.cookie)
    let typed = call.parameters["user_code"].map { $0.uppercased().filter { $0.isLetter } }
    guard call.method == "POST" else {
      return .page(DevicePage(typed: typed, isWrong: false).html).with(browser)
    }
    // The cookie is this form's protection: SameSite keeps it from foreign forms.
    guard call.cookie == browser.id, let typed, await state.device(userCode: typed) != nil else {
      return .page(DevicePage(typed: typed, isWrong: true).html).with(browser)
    }
    return await continueSignIn(await state.open(.device(userCode: typed), in: browser)).with(browser)
  }

  /// Takes a device's sign-in to its next page.
  func carryOnDevice(_ userCode: String, _ interaction: Interaction) async -> HTTPResponse {
    guard let device = await state.device(userCode: userCode) else { return lostPage }
    guard let person = interaction.person else {
      let picker = AccountPicker(
        flow: interaction.id,
        people: Person.all.filter(device.flavour.admits),
        signedIn: await state.browser(interaction.browserID).signIns.map(\.person),
        hint: nil,
        creates: false
      )
      return .page(picker.html)
    }
    guard device.flavour.admits(person) else { return await errorPage(.foreignAccount(person), at: device.flavour) }
    // Somebody else may have sent the code, so the person is always asked (RFC 8628 §5.4).
    guard interaction.hasConsented else {
      return .page(ConsentPage(flow: interaction.id, person: person, scopes: device.scopes).html)
    }
    await state.close(interaction)
    return await finishDevice(userCode, as: person, in: interaction.browserID)
  }

  /// Tells the device, and then the person.
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

/// What the first line of a recording says.
struct FakeRecordingHeader: Codable, Equatable {
  var format: String
  var version: Int

  /// That of the recordings that are written now.
  static let current = FakeRecordingHeader(format: "millrace-fake-calls", version: 1)
}

/// One call of a recording: a line of its file.
struct RecordedCall<Request: Codable, Response: Codable>: Codable {
  private enum CodingKeys: String, CodingKey {
    case call, request, response, failure
  }

  let call: String
  let request: Request
  let ending: Ending

  /// How the call ended.
  enum Ending {
    case response(Response)
    /// The description of the error.
    case failure(String)
  }

  init(call: String, request: Request, ending: Ending) {
    self.call = call
    self.request = request
    self.ending = ending
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    call = try container.decode(String.self, forKey: .call)
    request = try container.decode(Request.self, forKey: .request)
    if let failure = try container.decodeIfPresent(String.self, forKey: .failure) {
      ending = .failure(failure)
    } else {
      ending = .response(try container.decode(Response.self, forKey: .response))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(call, forKey: .call)
    try container.encode(request, forKey: .request)
    switch ending {
    case .response(let response): try container.encode(response, forKey: .response)
    case .failure(let failure): try container.encode(failure, forKey: .failure)
    }
  }
}

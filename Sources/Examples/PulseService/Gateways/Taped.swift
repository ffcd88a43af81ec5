import Foundation
import Millrace
import MillraceRecording

/// A gateway whose calls and replies are recorded on a tape, or come from a recording.
struct Taped<Gateway: Sendable>: Sendable {
  let gateway: Gateway
  let tape: GatewayTape
}

extension Taped: MachineGateway where Gateway == any MachineGateway {
  func read() async throws -> MachineReading {
    try await tape.call("machine", "", failure: MachineFailure.self) { try await gateway.read() }
  }
}

extension Taped: EndpointGateway where Gateway == any EndpointGateway {
  func probe(_ endpoint: Endpoint, readsCertificate: Bool) async throws -> ProbeAnswer {
    guard !readsCertificate else {
      return try await tape.call("certificate", endpoint, failure: GatewayFailure.self) {
        try await gateway.probe(endpoint, readsCertificate: true)
      }
    }
    // The reply is the status, as in recordings from before certificates were read.
    return ProbeAnswer(
      status: try await tape.call("probe", endpoint, failure: GatewayFailure.self) {
        try await gateway.probe(endpoint, readsCertificate: false).status
      })
  }
}

extension Taped: WebhookGateway where Gateway == any WebhookGateway {
  func post(_ notice: Notice, to webhook: Webhook, idempotencyKey: String) async throws {
    // The key is another one each time that the handler runs again.
    try await tape.call("post", WebhookPost(webhook: webhook, notice: notice), failure: GatewayFailure.self) {
      try await gateway.post(notice, to: webhook, idempotencyKey: idempotencyKey)
    }
  }
}

extension Taped: RulesGateway where Gateway == any RulesGateway {
  var content: String { gateway.content }

  func read() async throws -> ConfigurationReading {
    // Its errors quote the file, and so URLs that are not watched: of them the kind alone is recorded.
    try await tape.call("rules", "") { try await gateway.read() }
  }
}

/// The recorded form of a notice that is posted.
struct WebhookPost: Encodable, Sendable, Equatable {
  let webhook: Webhook
  let notice: Notice
}

extension PulseMonitor {
  /// The same interactor, which calls its gateways through a tape.
  func taped(_ tape: GatewayTape) -> PulseMonitor {
    PulseMonitor(
      machine: Taped(gateway: machine, tape: tape), endpoints: Taped(gateway: endpoints, tape: tape),
      webhooks: Taped(gateway: webhooks, tape: tape), rules: rules.map { Taped(gateway: $0, tape: tape) },
      stopwatch: stopwatch, limits: limits)
  }
}

/// The source of rules, targets and webhooks that may change while the service runs.
protocol RulesGateway: Sendable {
  /// The parts of the configuration that are read, as the object of a sentence.
  var content: String { get }

  /// Reads what there is now.
  ///
  /// Returns soon after its task was cancelled: a caller that sets a time limit cancels.
  ///
  /// - Throws: An error whose description is a sentence that says what is wrong, and the fix.
  func read() async throws -> ConfigurationReading
}

/// The parts of a configuration that were read.
enum ConfigurationReading: Codable, Sendable, Equatable {
  /// The rules, while targets and webhooks stay what they are.
  case rules([AlertRule])
  case all(Configuration)

  /// The same reading without what may be a secret, for a recording.
  var redacted: ConfigurationReading {
    switch self {
    case .rules: self
    case .all(let configuration): .all(configuration.redacted)
    }
  }
}

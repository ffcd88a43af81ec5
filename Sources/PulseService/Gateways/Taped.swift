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
  func probe(_ endpoint: Endpoint) async throws -> Int? {
    try await tape.call("probe", endpoint, failure: GatewayFailure.self) { try await gateway.probe(endpoint) }
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
  func rules() async throws -> [AlertRule] {
    // Its errors quote the file, and so URLs that are not watched: of them the kind alone is recorded.
    try await tape.call("rules", "") { try await gateway.rules() }
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

@testable import PulseService

extension PulseMonitor {
  /// An interactor with fake gateways: a machine of which nothing is known, and others that do what they are asked for.
  static func fake(
    machine: FakeMachineGateway = .idle(), endpoints: any EndpointGateway = FakeEndpointGateway.up(),
    webhooks: FakeWebhookGateway = .willing(), rules: FakeRulesGateway? = nil, clock: any Clock<Duration>,
    limits: Limits = Limits()
  ) -> PulseMonitor {
    PulseMonitor(
      machine: machine, endpoints: endpoints, webhooks: webhooks, rules: rules, stopwatch: Stopwatch(clock),
      limits: limits)
  }
}

/// The subjects to watch, the rules about them, and the webhooks to notify.
struct Configuration: Codable, Sendable, Equatable {
  var endpoints: [Endpoint] = []
  var rules: [AlertRule] = []
  var webhooks: [Webhook] = []

  /// The same configuration without what may be a secret, for a recording.
  var redacted: Configuration {
    Configuration(endpoints: endpoints.map(\.redacted), rules: rules, webhooks: webhooks.map(\.redacted))
  }
}

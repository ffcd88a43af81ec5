/// Lets a value tell its parts to a ``CanonicalText``.
struct CanonicalEncoder: Encoder, SingleValueEncodingContainer {
  typealias Part = CanonicalText.Part

  let part: Part

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed<Key>(part: part))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    part.beginList()
    return Unkeyed(part: part)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { part.takeNil() }

  func encode(_ value: some Encodable) throws { try part.take(value) }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let part: Part

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { part.field(key.stringValue).takeNil() }

    func encode(_ value: some Encodable, forKey key: Key) throws { try part.field(key.stringValue).take(value) }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      CanonicalEncoder(part: part.field(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      CanonicalEncoder(part: part.field(key.stringValue)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { CanonicalEncoder(part: part.field("super")) }

    func superEncoder(forKey key: Key) -> any Encoder { CanonicalEncoder(part: part.field(key.stringValue)) }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    let part: Part

    var codingPath: [any CodingKey] { [] }
    var count: Int { part.list?.count ?? 0 }

    func encodeNil() { part.element().takeNil() }

    func encode(_ value: some Encodable) throws { try part.element().take(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      CanonicalEncoder(part: part.element()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      CanonicalEncoder(part: part.element()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { CanonicalEncoder(part: part.element()) }
  }
}

#if Postgres
  /// The parameters of a statement in the binary format of PostgreSQL, in one buffer.
  struct PostgresParameters {
    /// The types of the parameters, by their numbers in the catalog of PostgreSQL.
    private enum Kind: UInt32 {
      case bytes = 17
      case number = 20
      case numbers = 1_016
      case blobs = 1_001
    }

    private(set) var bytes: [UInt8] = []
    private(set) var types: [UInt32] = []
    /// The place of each parameter; nil for NULL.
    private(set) var places: [Range<Int>?] = []

    /// Adds a `bigint`.
    mutating func add(_ number: Int64?) {
      add(.number) { parameters in
        guard let number else { return false }
        parameters.put(number)
        return true
      }
    }

    /// Adds a `bigint`.
    mutating func add(_ number: Int) { add(Int64(number)) }

    /// Adds a `bigint` with these bits.
    mutating func add(_ number: UInt64) { add(Int64(bitPattern: number)) }

    /// Adds a `bytea`.
    mutating func add(_ value: (some Collection<UInt8>)?) {
      add(.bytes) { parameters in
        guard let value else { return false }
        parameters.bytes += value
        return true
      }
    }

    /// Adds a `bigint[]`.
    mutating func add(numbers: [Int64]) {
      add(numbers: numbers.lazy.map(Optional.some))
    }

    /// Adds a `bigint[]`.
    mutating func add(numbers: some Collection<Int64?>) {
      add(numbers, of: .number, as: .numbers) { $0.put($1) }
    }

    /// Adds a `bytea[]`.
    mutating func add(blobs: [[UInt8]]) {
      add(blobs: blobs.lazy.map(Optional.some))
    }

    /// Adds a `bytea[]`.
    mutating func add(blobs: some Collection<[UInt8]?>) {
      add(blobs, of: .bytes, as: .blobs) { $0.bytes += $1 }
    }

    private mutating func add<Element>(
      _ elements: some Collection<Element?>, of element: Kind, as array: Kind,
      _ write: (inout PostgresParameters, Element) -> Void
    ) {
      add(array) { parameters in
        // The number of dimensions, whether there are NULLs, and the type; then the count and the first index of the one dimension.
        for word in [elements.isEmpty ? 0 : 1, 1, Int32(element.rawValue)] { parameters.put(word) }
        if elements.isEmpty { return true }
        for word in [Int32(elements.count), 1] { parameters.put(word) }
        for value in elements {
          let start = parameters.bytes.count
          parameters.put(Int32(-1))
          guard let value else { continue }
          write(&parameters, value)
          let size = Int32(parameters.bytes.count - start - 4)
          withUnsafeBytes(of: size.bigEndian) { parameters.bytes.replaceSubrange(start..<start + 4, with: $0) }
        }
        return true
      }
    }

    private mutating func add(_ kind: Kind, _ write: (inout PostgresParameters) -> Bool) {
      let start = bytes.count
      types.append(kind.rawValue)
      let isThere = write(&self)
      places.append(isThere ? start..<bytes.count : nil)
    }

    private mutating func put(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
  }

  /// A statement with its parameters.
  struct PostgresStatement {
    let sql: String
    var parameters = PostgresParameters()

    init(_ sql: String, _ add: (inout PostgresParameters) -> Void = { _ in }) {
      self.sql = sql
      add(&parameters)
    }
  }
#endif

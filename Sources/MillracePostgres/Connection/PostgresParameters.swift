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
      add(numbers: numbers.count) { numbers[$0] }
    }

    /// Adds a `bigint[]` of this many numbers.
    mutating func add(numbers count: Int, _ number: (Int) -> Int64) {
      add(.numbers) { parameters in
        parameters.putHead(count, of: .number)
        let first = parameters.bytes.count
        parameters.bytes.append(contentsOf: repeatElement(0, count: 12 * count))
        parameters.bytes.withUnsafeMutableBytes { bytes in
          for index in 0..<count {
            bytes.storeBytes(of: Int32(8).bigEndian, toByteOffset: first + 12 * index, as: Int32.self)
            bytes.storeBytes(of: number(index).bigEndian, toByteOffset: first + 12 * index + 4, as: Int64.self)
          }
        }
        return true
      }
    }

    /// Adds a `bigint[]`.
    mutating func add(numbers: [Int64?]) {
      add(.numbers) { parameters in
        parameters.putHead(numbers.count, of: .number)
        for number in numbers {
          parameters.put(Int32(number == nil ? -1 : 8))
          if let number { parameters.put(number) }
        }
        return true
      }
    }

    /// Adds a `bytea[]`.
    mutating func add(blobs: [[UInt8]?]) {
      add(blobs: blobs.count) { blobs[$0] }
    }

    /// Adds a `bytea[]` of this many values.
    mutating func add(blobs count: Int, _ blob: (Int) -> [UInt8]?) {
      add(.blobs) { parameters in
        parameters.putHead(count, of: .bytes)
        for index in 0..<count {
          let value = blob(index)
          parameters.put(value.map { Int32($0.count) } ?? -1)
          if let value { parameters.bytes += value }
        }
        return true
      }
    }

    /// Writes the number of dimensions, whether there are NULLs, and the type; then the count and the first index of the one dimension.
    private mutating func putHead(_ count: Int, of element: Kind) {
      for word in [count == 0 ? 0 : 1, 1, Int32(element.rawValue)] { put(word) }
      if count > 0 { for word in [Int32(count), 1] { put(word) } }
    }

    private mutating func add(_ kind: Kind, _ write: (inout PostgresParameters) -> Bool) {
      let start = bytes.count
      types.append(kind.rawValue)
      let isThere = write(&self)
      places.append(isThere ? start..<bytes.count : nil)
    }

    private mutating func put(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
  }

  /// A statement with its parameters.
  struct PostgresStatement {
    let sql: String
    let parameters: PostgresParameters
    let name: PreparedStatements.Name

    init(_ sql: String, _ add: (inout PostgresParameters) -> Void = { _ in }) {
      var parameters = PostgresParameters()
      add(&parameters)
      (self.sql, self.parameters) = (sql, parameters)
      name = PreparedStatements.Name(sql, parameters.types)
    }
  }
#endif

import Testing

@testable import MillraceBenchmarks

#if Postgres
  import MillracePostgresServer
#endif

@Suite("Rows of the journal in PostgreSQL")
struct PostgresRowsTests {
  #if Postgres
    @Test("Each row runs, and has a positive figure", arguments: postgresRows.map(\.name))
    func runs(name: String) async throws {
      let row = try #require(allRows.first { $0.name == name })
      #expect(try await row.measure(.quick).value > 0)
    }

    @Test("Without a server a row fails with the fix")
    func noServer() async {
      let server = Task<PostgresServer, any Error> { throw Unreached() }
      await #expect(
        throws: RowFailure(
          description: """
            The rows postgres/… need a PostgreSQL server, and none has started: Unreached() Install the package 'postgresql', or run \
            Tests/packages.
            """)
      ) { try await PostgresBench.address(of: server) }
    }

    @Test("A build with the trait Postgres tells of no absent rows")
    func present() {
      #expect(absentPostgresRows == nil)
    }
  #else
    @Test("A build without the trait Postgres tells how to build the rows")
    func absent() {
      #expect(postgresRows.isEmpty)
      #expect(
        absentPostgresRows
          == "The rows postgres/… need the trait Postgres: swift run -c release --traits SQLite,Postgres --scratch-path "
          + ".build-postgres-release benchmarks --filter postgres/")
    }
  #endif
}

#if Postgres
  import Foundation
  import MillraceEntries
  import MillraceJournal
  import MillraceLibPQ

  /// The reasons for which a connection is refused however often it is tried, which a journal that is opened asks for.
  ///
  /// An open journal takes each of them for an outage: a server that is being restored has no such role for a while.
  enum LastingRefusal {
    /// The error for an address to which no connection was made; nil if the next attempt may make one.
    ///
    /// It tries once more, because libpq shows the state of SQL only in place of the text, and the text is for the reader.
    ///
    /// - Parameter reason: The reason for which the last attempt failed.
    static func error(_ address: PostgresAddress, deadline: Duration, reason: String) -> JournalError? {
      guard let fix = fix(address, deadline: deadline) else { return nil }
      return JournalError(.cannotOpen, "PostgreSQL cannot be opened: \(reason); \(fix).")
    }

    private static func fix(_ address: PostgresAddress, deadline: Duration) -> String? {
      let text: String
      do throws(PostgresFailure) {
        _ = try PostgresConnection(address, deadline: deadline, showsStates: true)
        return nil
      } catch {
        guard case .disconnected(let reason) = error else { return nil }
        text = reason
      }
      let (settings, lines) = (address.settings, text.split(separator: "; "))
      let states = lines.map(state)
      if states.allSatisfy({ $0 == nil }) { return fix(of: settings) }
      // The last address of a server is the one that has answered. Of several servers another one may be back by then.
      let isOne = settings["host"]?.contains(",") != true && settings["hostaddr"]?.contains(",") != true
      let fixes = (isOne ? states.suffix(1) : states).map { $0.flatMap(fix(ofState:)) }
      return fixes.contains(nil) ? nil : fixes.first ?? nil
    }

    /// The state of SQL at the end of a line of libpq; nil if it has none.
    private static func state(_ line: Substring) -> String? {
      guard let word = line.split(separator: " ").last, word.utf8.count == 5, line.hasSuffix(":  \(word)"),
        word.utf8.allSatisfy({
          UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
        })
      else { return nil }
      return String(word)
    }

    private static func fix(ofState state: String) -> String? {
      if state.hasPrefix("28") { return "mend the role, its password or the server's pg_hba.conf" }
      return state == "3D000" ? "make the database, or name another one" : nil
    }

    /// The fix of settings with which no server is asked.
    private static func fix(of settings: [String: String]) -> String? {
      // Without a port the settings were not read to their end.
      guard settings["port"] != nil else { return "mend the address, or add the service to the service file" }
      if let file = missingFile(settings) { return "put a certificate at \(file.quoted), or name another file" }
      let hosts = settings["hostaddr"] == nil ? (settings["host"] ?? "").split(separator: ",") : []
      let names = hosts.filter { !$0.hasPrefix("/") && !$0.hasPrefix("@") }
      return !names.isEmpty && names.count == hosts.count && names.allSatisfy(isUnknown)
        ? "name another host" : nil
    }

    /// The first file of a certificate or of a key that is not there; nil if there is none.
    private static func missingFile(_ settings: [String: String]) -> String? {
      let verifies = settings["sslmode"]?.hasPrefix("verify-") == true
      let root = settings["sslrootcert"] ?? (verifies ? NSHomeDirectory() + "/.postgresql/root.crt" : nil)
      return [root, settings["sslcert"], settings["sslkey"]].compactMap(\.self).first {
        $0 != "system" && !$0.hasPrefix("pkcs11:") && access($0, F_OK) != 0
      }
    }

    /// Whether the system says that there is no host with this name, and not that it could not find out.
    private static func isUnknown(_ name: Substring) -> Bool {
      var found: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(String(name), nil, nil, &found)
      if let found { freeaddrinfo(found) }
      return code == EAI_NONAME
    }
  }
#endif

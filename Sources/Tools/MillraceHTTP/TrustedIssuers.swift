import Foundation
package import MillraceFlags

/// The issuers of certificates that are trusted in place of the issuers that the system trusts: a file of certificates in PEM.
package struct TrustedIssuers: Sendable, Equatable {
  /// The absolute path of the file, which each transfer may read again.
  package let path: String

  /// Reads the file once.
  ///
  /// - Throws: ``Unusable``, when the file cannot be read or has no certificate.
  package init(file path: String) throws(Unusable) {
    let url = URL(filePath: path)
    guard let contents = try? Data(contentsOf: url) else { throw Unusable(unreadable: url.path) }
    guard contents.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
      throw Unusable(reason: "has no certificate in it")
    }
    self.path = url.path
  }

  /// The reason for which a file is not used, as the end of a sentence that names the file.
  package struct Unusable: Error, Equatable {
    package let reason: String

    fileprivate init(reason: String) { self.reason = reason }

    fileprivate init(unreadable path: String) {
      let files = FileManager.default
      var isFolder: ObjCBool = false
      if !files.fileExists(atPath: path, isDirectory: &isFolder) {
        reason = "does not exist"
      } else if isFolder.boolValue {
        reason = "is a folder"
      } else {
        reason = files.isReadableFile(atPath: path) ? "cannot be read" : "you may not read"
      }
    }
  }
}

extension Flag {
  /// The flag that names the file of trusted issuers.
  package static let trustedIssuers = Flag.text(
    "--ca", "FILE", example: "ca.pem",
    help: "trust the issuers in this file of certificates (PEM), and not those of the system")
}

extension ParsedFlags {
  /// The issuers of `--ca`; nil without that flag.
  ///
  /// - Throws: `FlagError` for a file that is not used.
  package func trustedIssuers() throws(FlagError) -> TrustedIssuers? {
    guard let path = text(Flag.trustedIssuers.name) else { return nil }
    do throws(TrustedIssuers.Unusable) {
      return try TrustedIssuers(file: path)
    } catch {
      throw FlagError(
        "--ca was given \(FlagError.quoted(path)), which \(error.reason); name a file of certificates in PEM, such as "
          + "a ca.pem.")
    }
  }
}

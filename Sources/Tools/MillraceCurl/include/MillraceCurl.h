/// HTTP transfers by libcurl, with the types that Swift can call: libcurl's own functions are variadic.
///
/// Nothing here blocks but `millrace_multi_wait`. A multi and its transfers belong to one thread; `millrace_multi_wake`
/// alone may be called by any.
#ifndef MILLRACE_CURL_H
#define MILLRACE_CURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The parts of a URL as libcurl reads them; `millrace_url_free` frees them.
struct millrace_url {
  /// The whole URL without user and password.
  char *_Nullable text;
  /// The scheme in lower case.
  char *_Nullable scheme;
  /// The host without percent encoding; an IPv6 address is in brackets.
  char *_Nullable host;
  /// The port, or that of the scheme where the URL names none.
  char *_Nullable port;
  /// The user without percent encoding; NULL where the URL names none.
  char *_Nullable user;
  /// The password without percent encoding; NULL where the URL names none.
  char *_Nullable password;
};

/// Reads a URL; false when libcurl does not take it.
bool millrace_url_read(const char *text, struct millrace_url *url);
/// Frees the parts.
void millrace_url_free(struct millrace_url *url);

/// One request and its answer.
struct millrace_transfer;

/// What ends a transfer, and what is refused of it.
struct millrace_transfer_limits {
  /// The longest the transfer takes.
  long milliseconds;
  /// The most bytes of header, those of interim answers included.
  size_t header;
  /// The most bytes of body.
  size_t body;
};

/// Creates a GET of `url`, which names no user; NULL when there is no memory.
///
/// `resolve` is `+host:port:address`: any address for a host that has a name. With it libcurl never looks up a name itself; without
/// it the host has to be an address. Where the transfer needs a connection, it ends by `millrace_end_lacks_connection`.
struct millrace_transfer *_Nullable millrace_transfer_make(
    uint64_t id, const char *url, const char *_Nullable resolve, struct millrace_transfer_limits limits);
/// Trusts the issuers of a file of certificates in PEM in place of the issuers that the system trusts.
bool millrace_transfer_trust(struct millrace_transfer *transfer, const char *file);
/// Sends user and password by the Basic scheme.
bool millrace_transfer_set_credentials(struct millrace_transfer *transfer, const char *user, const char *password);
/// Lends a kept connection to the transfer, which keeps its own for later transfers.
bool millrace_transfer_keep_connection(struct millrace_transfer *transfer);
/// Assigns a connection to the transfer, which it closes, and sets the longest that it takes from now on; it may then be added again.
bool millrace_transfer_give_connection(struct millrace_transfer *transfer, int descriptor, long milliseconds);
/// Sends this name as the `User-Agent`.
bool millrace_transfer_set_agent(struct millrace_transfer *transfer, const char *name);
/// Adds a header field, `Name: value`.
bool millrace_transfer_add_header(struct millrace_transfer *transfer, const char *field);
/// Makes the request a POST of a copy of these bytes.
bool millrace_transfer_set_body(struct millrace_transfer *transfer, const void *bytes, size_t count);
/// Keeps the body of the answer, which is otherwise counted and dropped.
void millrace_transfer_keep_body(struct millrace_transfer *transfer);
/// Reads the certificates of the server, if the transfer is by `https`, in a whole handshake on a new connection.
bool millrace_transfer_read_certificates(struct millrace_transfer *transfer);
/// Frees a transfer that is in no multi.
void millrace_transfer_free(struct millrace_transfer *transfer);

/// What a transfer came to.
enum __attribute__((enum_extensibility(closed))) millrace_end {
  /// The whole answer arrived.
  millrace_end_whole __attribute__((swift_name("whole"))),
  /// The header arrived, and more body than is wanted.
  millrace_end_body_limit __attribute__((swift_name("bodyLimit"))),
  /// The header is longer than its limit.
  millrace_end_header_limit __attribute__((swift_name("headerLimit"))),
  /// The connection was closed before the end of the answer.
  millrace_end_cut_short __attribute__((swift_name("cutShort"))),
  /// The connection was closed before anything had arrived.
  millrace_end_empty __attribute__((swift_name("empty"))),
  /// The bytes that arrived are no HTTP.
  millrace_end_not_http __attribute__((swift_name("notHTTP"))),
  /// The answer did not arrive in time.
  millrace_end_late __attribute__((swift_name("late"))),
  /// The header of an answer arrived in time, and its body did not.
  millrace_end_body_late __attribute__((swift_name("bodyLate"))),
  /// The server has switched to another protocol, without being asked to.
  millrace_end_switched __attribute__((swift_name("switched"))),
  /// No address took a connection.
  millrace_end_no_connection __attribute__((swift_name("noConnection"))),
  /// The connection broke.
  millrace_end_lost __attribute__((swift_name("lost"))),
  /// The host has no address.
  millrace_end_no_address __attribute__((swift_name("noAddress"))),
  /// The handshake of TLS failed.
  millrace_end_not_secure __attribute__((swift_name("notSecure"))),
  /// The certificate of the server is not trusted.
  millrace_end_not_trusted __attribute__((swift_name("notTrusted"))),
  /// This machine trusts no certificates.
  millrace_end_no_certificates __attribute__((swift_name("noCertificates"))),
  /// The transfer has sent nothing, because it was given no connection yet.
  millrace_end_lacks_connection __attribute__((swift_name("lacksConnection"))),
  /// Anything else.
  millrace_end_other __attribute__((swift_name("other"))),
};

/// A transfer that has ended, and its answer.
struct millrace_answer {
  uint64_t id;
  struct millrace_transfer *_Nullable transfer;
  enum millrace_end end;
  /// libcurl's code.
  int code;
  /// The system's error number of a connection that failed, or 0.
  int system_error;
  /// OpenSSL's number for the reason why a certificate is not trusted; 0 or 1 where only its host is wrong.
  int verification;
  /// The status of the answer, or 0.
  int status;
  /// Whether any of the request was sent.
  bool is_sent;
  /// The seconds of a `Retry-After`, which may have been a date; 0 where the answer has none.
  int64_t retry_after;
  /// The earliest end of validity of the certificates of the server, in seconds since 1970; -1 where one cannot be read, or none was.
  int64_t expiry;
  /// The absolute URL that a redirection names; lives as long as the transfer. NULL where there is none.
  const char *_Nullable redirection;
  /// The bytes of the body; live as long as the transfer. NULL where none are kept.
  const char *_Nullable body;
  size_t body_count;
};

/// Transfers that one thread carries out side by side.
struct millrace_multi;

/// Creates a multi without transfers; NULL when there is no memory or no descriptor.
struct millrace_multi *_Nullable millrace_multi_make(void);
/// Sets the number of idle connections that are kept, at least 1; without it, libcurl keeps four for each transfer under way.
bool millrace_multi_keep_connections(struct millrace_multi *multi, long count);
/// Frees a multi that has no transfers.
void millrace_multi_free(struct millrace_multi *multi);
/// Begins a transfer.
bool millrace_multi_add(struct millrace_multi *multi, struct millrace_transfer *transfer);
/// Ends a transfer at once, finished or not.
void millrace_multi_remove(struct millrace_multi *multi, struct millrace_transfer *transfer);
/// Does what can be done without waiting.
void millrace_multi_perform(struct millrace_multi *multi);
/// Takes the next transfer that has ended; false when there is none. It is still to be removed and freed.
bool millrace_multi_take(struct millrace_multi *multi, struct millrace_answer *answer);
/// Waits until something can be done, one of `count` other descriptors can be written to, `millrace_multi_wake` is called, or the time is
/// over.
void millrace_multi_wait(
    struct millrace_multi *multi, const int *_Nullable descriptors, size_t count, int milliseconds);
/// Ends the wait under way, or else the next one.
void millrace_multi_wake(struct millrace_multi *multi);

#pragma clang assume_nonnull end

#endif

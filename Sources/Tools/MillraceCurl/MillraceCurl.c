#include "MillraceCurl.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "MillraceCurlDeclarations.h"

// MARK: - Transfers

struct millrace_transfer {
  uint64_t id;
  CURL *easy;
  struct curl_slist *fields;
  struct curl_slist *resolve;
  size_t header_room;
  size_t body_room;
  bool keeps_body;
  char *body;
  size_t body_count;
  size_t body_capacity;
  /// The descriptor of the connection that was made for the transfer; -1 where none is there.
  int connection;
  bool lacks_connection;
  /// The status of the newest first line, or 0.
  int status;
  bool is_switched;
  bool is_header_whole;
  bool is_header_cut;
  bool is_body_cut;
};

// libcurl's functions are variadic: the type of the last argument is the caller's to get right.

static bool set_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value) == CURLE_OK;
}

static bool set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value) == CURLE_OK;
}

static bool set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value) == CURLE_OK;
}

typedef size_t take_bytes(char *bytes, size_t size, size_t count, void *context);
typedef int start_resolver(void *state, void *reserved, void *context);
typedef int open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int prepare_socket(void *context, int descriptor, curlsocktype purpose);

/// The status in the first line of an answer, such as `HTTP/1.1 200 OK`; 0 where it has none.
static int status_in(const char *line, size_t length) {
  const char *status = memchr(line, ' ', length);
  if (!status || line + length - status < 4) return 0;
  int number = 0;
  for (int digit = 1; digit <= 3; digit++) {
    if (status[digit] < '0' || status[digit] > '9') return 0;
    number = 10 * number + status[digit] - '0';
  }
  return number;
}

/// Takes one line of a header; a return that is not the number of bytes ends the transfer.
static size_t take_header(char *bytes, size_t size, size_t count, void *context) {
  struct millrace_transfer *transfer = context;
  size_t length = size * count;
  if (length > transfer->header_room) {
    transfer->is_header_cut = true;
    return 0;
  }
  transfer->header_room -= length;
  if (length >= 5 && memcmp(bytes, "HTTP/", 5) == 0) {
    // The first line of an answer, which may be the one behind an interim answer.
    transfer->is_header_whole = false;
    transfer->status = status_in(bytes, length);
  } else if (length > 0 && length <= 2 && bytes[length - 1] == '\n') {
    transfer->is_header_whole = true;
    // Behind such an answer libcurl waits for another one, and what follows is no HTTP.
    transfer->is_switched = transfer->status == 101;
    if (transfer->is_switched) return 0;
  }
  return length;
}

/// Appends a piece to the body that is kept; false when there is no memory.
static bool keep_body(struct millrace_transfer *transfer, const char *bytes, size_t length) {
  size_t count = transfer->body_count + length;
  if (count > transfer->body_capacity) {
    size_t capacity = count > 2 * transfer->body_capacity ? count : 2 * transfer->body_capacity;
    char *body = realloc(transfer->body, capacity);
    if (!body) return false;
    transfer->body = body;
    transfer->body_capacity = capacity;
  }
  memcpy(transfer->body + transfer->body_count, bytes, length);
  transfer->body_count = count;
  return true;
}

/// Counts a piece of a body, and keeps it if that is wanted; a return that is not the number of bytes ends the transfer.
static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  struct millrace_transfer *transfer = context;
  size_t length = size * count;
  if (length > transfer->body_room) {
    transfer->is_body_cut = true;
    return 0;
  }
  transfer->body_room -= length;
  if (length > 0 && transfer->keeps_body && !keep_body(transfer, bytes, length)) return 0;
  return length;
}

/// Refuses that libcurl looks up a name: its removal of such a transfer would wait for the name server.
static int refuse_resolver(void *state, void *reserved, void *context) {
  (void)state, (void)reserved, (void)context;
  return 1;
}

/// Gives libcurl the connection that was made for the transfer; -1, which ends the transfer, where there is none.
static int give_connection(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose, (void)address;
  struct millrace_transfer *transfer = context;
  int connection = transfer->connection;
  transfer->connection = -1;
  transfer->lacks_connection = connection < 0;
  return connection;
}

/// Has libcurl not connect what is connected.
static int leave_connected(void *context, int descriptor, curlsocktype purpose) {
  (void)context, (void)descriptor, (void)purpose;
  return CURL_SOCKOPT_ALREADY_CONNECTED;
}

/// Adds a text to a list; false when there is no memory.
static bool append(struct curl_slist **list, const char *text) {
  struct curl_slist *longer = curl_slist_append(*list, text);
  if (!longer) return false;
  *list = longer;
  return true;
}

/// Has libcurl trust the issuers of one file.
///
/// With a folder of issuers beside the file, as Debian's library has it by default, libcurl parses the file for each connection, which
/// takes 16 ms of a processor. Without the folder it keeps the parsed file in the multi for a day. A library of an earlier version than
/// 7.84 does not say whether it has a file by default, and one of an earlier version than 7.87 keeps none.
static bool trust_one_file(CURL *easy, const char *_Nullable file) {
  char *known = NULL;
  if (file ? !set_text(easy, CURLOPT_CAINFO, file)
           : curl_easy_getinfo(easy, CURLINFO_CAINFO, &known) != CURLE_OK || !known)
    return !file;
  return set_text(easy, CURLOPT_CAPATH, NULL);
}

static bool set_up(struct millrace_transfer *transfer, const char *url, const char *resolve, long milliseconds) {
  CURL *easy = transfer->easy;
  if (resolve) {
    start_resolver *refuse = refuse_resolver;
    if (!append(&transfer->resolve, resolve) || !set_pointer(easy, CURLOPT_RESOLVE, transfer->resolve) ||
        curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, refuse) != CURLE_OK)
      return false;
  }
  take_bytes *header = take_header, *body = take_body;
  open_socket *open = give_connection;
  prepare_socket *prepare = leave_connected;
  return set_text(easy, CURLOPT_URL, url) && set_number(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS) &&
         // A target is asked itself, whatever the environment says of proxies.
         set_text(easy, CURLOPT_PROXY, "") &&
         set_number(easy, CURLOPT_NOSIGNAL, 1) && set_number(easy, CURLOPT_TIMEOUT_MS, milliseconds) &&
         // By default a transfer has a connection of its own, so that none meets what another one has left behind.
         set_number(easy, CURLOPT_FRESH_CONNECT, 1) && set_number(easy, CURLOPT_FORBID_REUSE, 1) &&
         curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header) == CURLE_OK &&
         curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body) == CURLE_OK &&
         curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open) == CURLE_OK &&
         curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, prepare) == CURLE_OK &&
         set_pointer(easy, CURLOPT_OPENSOCKETDATA, transfer) &&
         trust_one_file(easy, NULL) && set_pointer(easy, CURLOPT_HEADERDATA, transfer) && set_pointer(easy, CURLOPT_WRITEDATA, transfer) &&
         set_pointer(easy, CURLOPT_PRIVATE, transfer);
}

struct millrace_transfer *millrace_transfer_make(
    uint64_t id, const char *url, const char *resolve, struct millrace_transfer_limits limits) {
  struct millrace_transfer *transfer = calloc(1, sizeof *transfer);
  if (!transfer) return NULL;
  transfer->id = id;
  transfer->connection = -1;
  transfer->header_room = limits.header;
  transfer->body_room = limits.body;
  transfer->easy = curl_easy_init();
  if (transfer->easy && set_up(transfer, url, resolve, limits.milliseconds)) return transfer;
  millrace_transfer_free(transfer);
  return NULL;
}

bool millrace_transfer_trust(struct millrace_transfer *transfer, const char *file) {
  return trust_one_file(transfer->easy, file);
}

bool millrace_transfer_set_credentials(struct millrace_transfer *transfer, const char *user, const char *password) {
  return set_text(transfer->easy, CURLOPT_USERNAME, user) && set_text(transfer->easy, CURLOPT_PASSWORD, password);
}

bool millrace_transfer_keep_connection(struct millrace_transfer *transfer) {
  return set_number(transfer->easy, CURLOPT_FRESH_CONNECT, 0) && set_number(transfer->easy, CURLOPT_FORBID_REUSE, 0);
}

bool millrace_transfer_give_connection(struct millrace_transfer *transfer, int descriptor, long milliseconds) {
  transfer->connection = descriptor;
  transfer->lacks_connection = false;
  // libcurl may have forgotten the addresses meanwhile.
  return set_pointer(transfer->easy, CURLOPT_RESOLVE, transfer->resolve) &&
         set_number(transfer->easy, CURLOPT_TIMEOUT_MS, milliseconds);
}

bool millrace_transfer_set_agent(struct millrace_transfer *transfer, const char *name) {
  return set_text(transfer->easy, CURLOPT_USERAGENT, name);
}

bool millrace_transfer_add_header(struct millrace_transfer *transfer, const char *field) {
  return append(&transfer->fields, field) && set_pointer(transfer->easy, CURLOPT_HTTPHEADER, transfer->fields);
}

bool millrace_transfer_set_body(struct millrace_transfer *transfer, const void *bytes, size_t count) {
  return set_number(transfer->easy, CURLOPT_POSTFIELDSIZE, (long)count) &&
         set_pointer(transfer->easy, CURLOPT_COPYPOSTFIELDS, (void *)bytes);
}

void millrace_transfer_keep_body(struct millrace_transfer *transfer) { transfer->keeps_body = true; }

bool millrace_transfer_read_certificates(struct millrace_transfer *transfer) {
  // A connection that is kept, and a session that is resumed, have the certificates of an earlier handshake.
  return set_number(transfer->easy, CURLOPT_CERTINFO, 1) && set_number(transfer->easy, CURLOPT_FRESH_CONNECT, 1) &&
         set_number(transfer->easy, CURLOPT_SSL_SESSIONID_CACHE, 0);
}

void millrace_transfer_free(struct millrace_transfer *transfer) {
  // First the transfer, which refers to the lists.
  if (transfer->easy) curl_easy_cleanup(transfer->easy);
  if (transfer->connection >= 0) close(transfer->connection);
  curl_slist_free_all(transfer->fields);
  curl_slist_free_all(transfer->resolve);
  free(transfer->body);
  free(transfer);
}

// MARK: - Transfers side by side

// A multi is libcurl's own, under another name.

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

struct millrace_multi *millrace_multi_make(void) {
  pthread_once(&once, begin);
  CURLM *multi = curl_multi_init();
  // No transfer waits for a connection of another one.
  if (multi) curl_multi_setopt(multi, CURLMOPT_PIPELINING, 0L);
  return multi;
}

bool millrace_multi_keep_connections(struct millrace_multi *multi, long count) {
  return curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, count) == CURLM_OK;
}

void millrace_multi_free(struct millrace_multi *multi) { curl_multi_cleanup(multi); }

bool millrace_multi_add(struct millrace_multi *multi, struct millrace_transfer *transfer) {
  return curl_multi_add_handle(multi, transfer->easy) == CURLM_OK;
}

void millrace_multi_remove(struct millrace_multi *multi, struct millrace_transfer *transfer) {
  curl_multi_remove_handle(multi, transfer->easy);
}

void millrace_multi_perform(struct millrace_multi *multi) {
  int running = 0;
  curl_multi_perform(multi, &running);
}

/// What a transfer came to that ended with this code.
static enum millrace_end end_of(const struct millrace_transfer *transfer, CURLcode code, long status) {
  if (transfer->lacks_connection) return millrace_end_lacks_connection;
  if (transfer->is_switched) return millrace_end_switched;
  if (transfer->is_header_cut) return millrace_end_header_limit;
  if (transfer->is_body_cut) return millrace_end_body_limit;
  switch ((int)code) {
    case CURLE_OK:
      // libcurl takes the end of a connection for the end of a header, and an interim answer for the answer.
      return transfer->is_header_whole && status >= 200 ? millrace_end_whole : millrace_end_cut_short;
    case CURLE_PARTIAL_FILE: return millrace_end_cut_short;
    case CURLE_GOT_NOTHING: return millrace_end_empty;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_FUNCTION_ARGUMENT:  // Said of a header line without a colon.
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return millrace_end_not_http;
    case CURLE_OUT_OF_MEMORY:
      // libcurl says this of a single line that is longer than it takes.
      return millrace_end_header_limit;
    case CURLE_OPERATION_TIMEDOUT:
      return transfer->is_header_whole && status >= 200 ? millrace_end_body_late : millrace_end_late;
    case CURLE_COULDNT_CONNECT: return millrace_end_no_connection;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: return millrace_end_lost;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_ABORTED_BY_CALLBACK: return millrace_end_no_address;
    case CURLE_SSL_CONNECT_ERROR: return millrace_end_not_secure;
    case CURLE_PEER_FAILED_VERIFICATION: return millrace_end_not_trusted;
    case CURLE_SSL_CACERT_BADFILE: return millrace_end_no_certificates;
    default: return millrace_end_other;
  }
}

/// The earliest end of validity of the certificates that the server has sent, in seconds since 1970; -1 where one has no date that can be
/// read, or none was read.
static int64_t expiry_of(CURL *easy) {
  static const char name[] = "Expire date:";
  struct curl_certinfo *certificates = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &certificates) != CURLE_OK || !certificates) return -1;
  int64_t earliest = -1;
  for (int index = 0; index < certificates->num_of_certs; index++) {
    int64_t expiry = -1;
    for (const struct curl_slist *field = certificates->certinfo[index]; field; field = field->next)
      if (strncmp(field->data, name, sizeof name - 1) == 0) expiry = curl_getdate(field->data + sizeof name - 1, NULL);
    if (expiry < 0) return -1;
    if (earliest < 0 || expiry < earliest) earliest = expiry;
  }
  return earliest;
}

bool millrace_multi_take(struct millrace_multi *multi, struct millrace_answer *answer) {
  int left = 0;
  CURLMsg *message = curl_multi_info_read(multi, &left);
  while (message && message->msg != CURLMSG_DONE) message = curl_multi_info_read(multi, &left);
  if (!message) return false;
  CURL *easy = message->easy_handle;
  struct millrace_transfer *transfer = NULL;
  long status = 0, system_error = 0, verification = 0, sent = 0;
  int64_t retry_after = 0;  // libcurl's `curl_off_t`, which has 64 bits.
  char *redirection = NULL;
  CURLcode code = message->data.result;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&transfer);
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &system_error);
  curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verification);
  curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &sent);
  curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after);
  curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &redirection);
  *answer = (struct millrace_answer){
      .id = transfer->id,
      .transfer = transfer,
      .end = end_of(transfer, code, status),
      .code = (int)code,
      .system_error = (int)system_error,
      .verification = (int)verification,
      .status = (int)status,
      .is_sent = sent > 0,
      .retry_after = retry_after,
      .expiry = expiry_of(easy),
      .redirection = redirection,
      .body = transfer->body,
      .body_count = transfer->body_count,
  };
  return true;
}

void millrace_multi_wait(
    struct millrace_multi *multi, const int *descriptors, size_t count, int milliseconds) {
  int ready = 0;
  struct curl_waitfd *others = count ? calloc(count, sizeof *others) : NULL;
  for (size_t index = 0; others && index < count; index++)
    others[index] = (struct curl_waitfd){.fd = descriptors[index], .events = CURL_WAIT_POLLOUT};
  // Where the system refuses to wait, or has no memory, a short rest keeps the processor free.
  if ((count && !others) || curl_multi_poll(multi, others, (unsigned int)count, milliseconds, &ready) != CURLM_OK)
    poll(NULL, 0, 10);
  free(others);
}

void millrace_multi_wake(struct millrace_multi *multi) { curl_multi_wakeup(multi); }

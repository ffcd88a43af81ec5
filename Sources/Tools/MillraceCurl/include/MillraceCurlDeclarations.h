/// The part of libcurl's interface that this package uses, for machines that have the library and not its header.
///
/// libcurl keeps these numbers, types and functions for good. Where `curl/curl.h` exists it is included instead, and a
/// test compares both: the numbers by value, the functions by declaring each a second time.
#ifndef MILLRACE_CURL_DECLARATIONS_H
#define MILLRACE_CURL_DECLARATIONS_H

#include <stddef.h>

/// Calls `X(name, value)` for each constant.
#define MILLRACE_CURL_CONSTANTS(X) \
  X(CURL_GLOBAL_DEFAULT, 3) \
  X(CURLE_OK, 0) \
  X(CURLE_UNSUPPORTED_PROTOCOL, 1) \
  X(CURLE_COULDNT_RESOLVE_HOST, 6) \
  X(CURLE_COULDNT_CONNECT, 7) \
  X(CURLE_WEIRD_SERVER_REPLY, 8) \
  X(CURLE_HTTP2, 16) \
  X(CURLE_PARTIAL_FILE, 18) \
  X(CURLE_WRITE_ERROR, 23) \
  X(CURLE_OUT_OF_MEMORY, 27) \
  X(CURLE_OPERATION_TIMEDOUT, 28) \
  X(CURLE_SSL_CONNECT_ERROR, 35) \
  X(CURLE_ABORTED_BY_CALLBACK, 42) \
  X(CURLE_BAD_FUNCTION_ARGUMENT, 43) \
  X(CURLE_GOT_NOTHING, 52) \
  X(CURLE_SEND_ERROR, 55) \
  X(CURLE_RECV_ERROR, 56) \
  X(CURLE_PEER_FAILED_VERIFICATION, 60) \
  X(CURLE_BAD_CONTENT_ENCODING, 61) \
  X(CURLE_SSL_CACERT_BADFILE, 77) \
  X(CURLE_HTTP2_STREAM, 92) \
  X(CURLM_OK, 0) \
  X(CURLMSG_DONE, 1) \
  X(CURLMOPT_PIPELINING, 3) \
  X(CURLMOPT_MAXCONNECTS, 6) \
  X(CURLOPT_URL, 10002) \
  X(CURLOPT_PROXY, 10004) \
  X(CURLOPT_USERAGENT, 10018) \
  X(CURLOPT_HTTPHEADER, 10023) \
  X(CURLOPT_HEADERDATA, 10029) \
  X(CURLOPT_POSTFIELDSIZE, 60) \
  X(CURLOPT_FRESH_CONNECT, 74) \
  X(CURLOPT_FORBID_REUSE, 75) \
  X(CURLOPT_CAINFO, 10065) \
  X(CURLOPT_CAPATH, 10097) \
  X(CURLOPT_HEADERFUNCTION, 20079) \
  X(CURLOPT_NOSIGNAL, 99) \
  X(CURLOPT_WRITEDATA, 10001) \
  X(CURLOPT_WRITEFUNCTION, 20011) \
  X(CURLOPT_PRIVATE, 10103) \
  X(CURLOPT_CERTINFO, 172) \
  X(CURLOPT_SSL_SESSIONID_CACHE, 150) \
  X(CURLOPT_TIMEOUT_MS, 155) \
  X(CURLOPT_COPYPOSTFIELDS, 10165) \
  X(CURLOPT_USERNAME, 10173) \
  X(CURLOPT_PASSWORD, 10174) \
  X(CURLOPT_PROTOCOLS, 181) \
  X(CURLOPT_RESOLVE, 10203) \
  X(CURLOPT_SOCKOPTFUNCTION, 20148) \
  X(CURLOPT_OPENSOCKETFUNCTION, 20163) \
  X(CURLOPT_OPENSOCKETDATA, 10164) \
  X(CURL_SOCKOPT_ALREADY_CONNECTED, 2) \
  X(CURL_WAIT_POLLOUT, 4) \
  X(CURLOPT_RESOLVER_START_FUNCTION, 20272) \
  X(CURLPROTO_HTTP, 1) \
  X(CURLPROTO_HTTPS, 2) \
  X(CURLINFO_RESPONSE_CODE, 0x200002) \
  X(CURLINFO_OS_ERRNO, 0x200019) \
  X(CURLINFO_SSL_VERIFYRESULT, 0x20000d) \
  X(CURLINFO_REQUEST_SIZE, 0x20000c) \
  X(CURLINFO_RETRY_AFTER, 0x600039) \
  X(CURLINFO_REDIRECT_URL, 0x10001f) \
  X(CURLINFO_PRIVATE, 0x100015) \
  X(CURLINFO_CAINFO, 0x10003d) \
  X(CURLINFO_CERTINFO, 0x400022) \
  X(CURLUE_OK, 0) \
  X(CURLUPART_URL, 0) \
  X(CURLUPART_SCHEME, 1) \
  X(CURLUPART_USER, 2) \
  X(CURLUPART_PASSWORD, 3) \
  X(CURLUPART_HOST, 5) \
  X(CURLUPART_PORT, 6) \
  X(CURLU_DEFAULT_PORT, 1) \
  X(CURLU_URLDECODE, 64)

/// What `curl_multi_info_read` tells of a transfer.
struct millrace_curl_message {
  int msg;
  void *easy_handle;
  union {
    void *whatever;
    int result;
  } data;
};

/// A descriptor that `curl_multi_poll` waits for beside its own.
struct millrace_curl_waitfd {
  int fd;
  short events;
  short revents;
};

/// A list of texts.
struct millrace_curl_slist {
  char *data;
  struct millrace_curl_slist *next;
};

/// The fields of the certificates that a server has sent, each as `name:value`.
struct millrace_curl_certinfo {
  int num_of_certs;
  struct millrace_curl_slist **certinfo;
};

#if __has_include(<curl/curl.h>)
  // Its checks of arguments and its warnings of what newer versions prefer are for callers that need no old one.
  #define CURL_DISABLE_TYPECHECK
  #define CURL_DISABLE_DEPRECATION
  #include <curl/curl.h>
  #undef curl_easy_setopt
  #undef curl_easy_getinfo
  #undef curl_multi_setopt
#else
  enum {
  #define MILLRACE_CURL_CONSTANT(name, value) name = value,
    MILLRACE_CURL_CONSTANTS(MILLRACE_CURL_CONSTANT)
  #undef MILLRACE_CURL_CONSTANT
  };
  typedef void CURL;
  typedef void CURLM;
  typedef struct Curl_URL CURLU;
  typedef struct millrace_curl_message CURLMsg;
  typedef int CURLcode, CURLoption, CURLINFO, CURLMcode, CURLMoption, CURLUcode, CURLUPart, curlsocktype;
  #define curl_slist millrace_curl_slist
  #define curl_certinfo millrace_curl_certinfo
  #define curl_waitfd millrace_curl_waitfd
  struct curl_sockaddr;
#endif

CURLcode curl_global_init(long flags);
void curl_free(void *memory);
struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text);
void curl_slist_free_all(struct curl_slist *list);
// A `time_t` is a `long`.
long curl_getdate(const char *text, const long *unused);

CURL *curl_easy_init(void);
void curl_easy_cleanup(CURL *easy);
CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...);
CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...);

CURLM *curl_multi_init(void);
CURLMcode curl_multi_cleanup(CURLM *multi);
CURLMcode curl_multi_setopt(CURLM *multi, CURLMoption option, ...);
CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode curl_multi_perform(CURLM *multi, int *running);
CURLMcode curl_multi_poll(CURLM *multi, struct curl_waitfd *others, unsigned int count, int milliseconds, int *ready);
CURLMcode curl_multi_wakeup(CURLM *multi);
CURLMsg *curl_multi_info_read(CURLM *multi, int *left);

CURLU *curl_url(void);
void curl_url_cleanup(CURLU *url);
CURLUcode curl_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags);
CURLUcode curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags);
#endif

#include "MillraceCurlChecks.h"

#if defined(__GLIBC__)
  #include <malloc.h>
#endif

#include "MillraceCurlDeclarations.h"

#if __has_include(<curl/curl.h>)

#define ROW(name, value) {#name, (long)(value), (long)(name)},
#define LAYOUT(text, declared, expected) {text, (long)(declared), (long)(expected)},

static const struct millrace_curl_row rows[] = {
    MILLRACE_CURL_CONSTANTS(ROW)
    LAYOUT("sizeof(CURLMsg)", sizeof(struct millrace_curl_message), sizeof(CURLMsg))
    LAYOUT("CURLMsg.msg", offsetof(struct millrace_curl_message, msg), offsetof(CURLMsg, msg))
    LAYOUT("CURLMsg.easy_handle", offsetof(struct millrace_curl_message, easy_handle), offsetof(CURLMsg, easy_handle))
    LAYOUT("CURLMsg.data", offsetof(struct millrace_curl_message, data), offsetof(CURLMsg, data))
    LAYOUT("sizeof(curl_waitfd)", sizeof(struct millrace_curl_waitfd), sizeof(struct curl_waitfd))
    LAYOUT("curl_waitfd.fd", offsetof(struct millrace_curl_waitfd, fd), offsetof(struct curl_waitfd, fd))
    LAYOUT("curl_waitfd.events", offsetof(struct millrace_curl_waitfd, events), offsetof(struct curl_waitfd, events))
    LAYOUT("sizeof(curl_slist)", sizeof(struct millrace_curl_slist), sizeof(struct curl_slist))
    LAYOUT("curl_slist.data", offsetof(struct millrace_curl_slist, data), offsetof(struct curl_slist, data))
    LAYOUT("curl_slist.next", offsetof(struct millrace_curl_slist, next), offsetof(struct curl_slist, next))
    LAYOUT("sizeof(curl_certinfo)", sizeof(struct millrace_curl_certinfo), sizeof(struct curl_certinfo))
    LAYOUT("curl_certinfo.certinfo", offsetof(struct millrace_curl_certinfo, certinfo), offsetof(struct curl_certinfo, certinfo))
    LAYOUT("sizeof(curlsocktype)", sizeof(int), sizeof(curlsocktype))
    LAYOUT("sizeof(CURLcode)", sizeof(int), sizeof(CURLcode))
    LAYOUT("sizeof(CURLoption)", sizeof(int), sizeof(CURLoption))
    LAYOUT("sizeof(CURLINFO)", sizeof(int), sizeof(CURLINFO))
    LAYOUT("sizeof(CURLMcode)", sizeof(int), sizeof(CURLMcode))
    LAYOUT("sizeof(CURLMoption)", sizeof(int), sizeof(CURLMoption))
    LAYOUT("sizeof(CURLUcode)", sizeof(int), sizeof(CURLUcode))
    LAYOUT("sizeof(CURLUPart)", sizeof(int), sizeof(CURLUPart))
};

// The callbacks have the types that libcurl calls them by.
typedef size_t take_bytes(char *bytes, size_t size, size_t count, void *context);
typedef int start_resolver(void *state, void *reserved, void *context);
typedef int open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int prepare_socket(void *context, int descriptor, curlsocktype purpose);
_Static_assert(_Generic((take_bytes *)0, curl_write_callback: 1, default: 0), "A write callback has another type.");
_Static_assert(
    _Generic((start_resolver *)0, curl_resolver_start_callback: 1, default: 0), "A resolver callback has another type.");
_Static_assert(
    _Generic((open_socket *)0, curl_opensocket_callback: 1, default: 0), "A socket callback has another type.");
_Static_assert(
    _Generic((prepare_socket *)0, curl_sockopt_callback: 1, default: 0), "A socket callback has another type.");

bool millrace_curl_has_header(void) { return true; }
size_t millrace_curl_row_count(void) { return sizeof rows / sizeof rows[0]; }
struct millrace_curl_row millrace_curl_row_at(size_t index) { return rows[index]; }

#else

bool millrace_curl_has_header(void) { return false; }
size_t millrace_curl_row_count(void) { return 0; }
struct millrace_curl_row millrace_curl_row_at(size_t index) {
  (void)index;
  return (struct millrace_curl_row){"no header", 0, 0};
}

#endif

size_t millrace_allocated_bytes(void) {
#if defined(__GLIBC__)
  struct mallinfo2 information = mallinfo2();
  // What is mapped is counted apart.
  return information.uordblks + information.hblkhd;
#else
  return 0;
#endif
}

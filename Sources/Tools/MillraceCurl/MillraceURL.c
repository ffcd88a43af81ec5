#include <string.h>

#include "MillraceCurl.h"
#include "MillraceCurlDeclarations.h"

/// A part of a URL, or NULL; libcurl's memory.
static char *part(CURLU *url, CURLUPart part, unsigned int flags) {
  char *text = NULL;
  return curl_url_get(url, part, &text, flags) == CURLUE_OK ? text : NULL;
}

bool millrace_url_read(const char *text, struct millrace_url *url) {
  memset(url, 0, sizeof *url);
  CURLU *parsed = curl_url();
  if (!parsed) return false;
  bool is_read = curl_url_set(parsed, CURLUPART_URL, text, 0) == CURLUE_OK;
  if (is_read) {
    // A part that cannot be decoded is not left out silently.
    char *user = part(parsed, CURLUPART_USER, 0);
    char *password = part(parsed, CURLUPART_PASSWORD, 0);
    url->user = part(parsed, CURLUPART_USER, CURLU_URLDECODE);
    url->password = part(parsed, CURLUPART_PASSWORD, CURLU_URLDECODE);
    is_read = !user == !url->user && !password == !url->password;
    curl_free(user);
    curl_free(password);
  }
  if (is_read) {
    is_read = curl_url_set(parsed, CURLUPART_USER, NULL, 0) == CURLUE_OK &&
              curl_url_set(parsed, CURLUPART_PASSWORD, NULL, 0) == CURLUE_OK;
    url->text = part(parsed, CURLUPART_URL, 0);
    url->scheme = part(parsed, CURLUPART_SCHEME, 0);
    url->host = part(parsed, CURLUPART_HOST, 0);
    url->port = part(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT);
    is_read = is_read && url->text && url->scheme && url->host && url->port;
  }
  curl_url_cleanup(parsed);
  if (!is_read) millrace_url_free(url);
  return is_read;
}

void millrace_url_free(struct millrace_url *url) {
  curl_free(url->text);
  curl_free(url->scheme);
  curl_free(url->host);
  curl_free(url->port);
  curl_free(url->user);
  curl_free(url->password);
  memset(url, 0, sizeof *url);
}

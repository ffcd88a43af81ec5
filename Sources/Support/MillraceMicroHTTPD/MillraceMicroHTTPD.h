/// GNU libmicrohttpd, with the functions that Swift cannot call, because they are variadic.
#ifndef MILLRACE_MICROHTTPD_H
#define MILLRACE_MICROHTTPD_H

#include <microhttpd.h>
#include <stdarg.h>

/// Drops a message of the library, such as one about a client that has left.
static void millrace_http_drop_message(void *context, const char *format, va_list arguments) {
  (void)context;
  (void)format;
  (void)arguments;
}

/// Starts a server on a socket that listens, with one thread that waits by epoll.
///
/// @param connections The number of connections that are accepted at once.
/// @param idle_seconds The time after which a connection is closed that sends and receives nothing.
/// @param memory The bytes of one connection, in which the head of its request has to fit.
/// @param key The private key of the certificate as PEM, and NULL for a server without TLS.
/// @return The server, or NULL.
static inline struct MHD_Daemon *millrace_http_start(
    int listening, MHD_AccessHandlerCallback answer, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback changed, void *context, unsigned connections, unsigned idle_seconds, size_t memory,
    const char *key, const char *certificate) {
  struct MHD_OptionItem secure[] = {
      {key ? MHD_OPTION_HTTPS_MEM_KEY : MHD_OPTION_END, 0, (void *)key},
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
      {MHD_OPTION_END, 0, 0},
  };
  unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  if (key) flags |= MHD_USE_TLS;
  return MHD_start_daemon(
      flags, 0, (MHD_AcceptPolicyCallback)0, (void *)0, answer, context,
      MHD_OPTION_EXTERNAL_LOGGER, &millrace_http_drop_message, (void *)0,
      MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listening,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, changed, context,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_ARRAY, secure,
      MHD_OPTION_END);
}

/// The descriptor of a connection.
static inline int millrace_http_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// The value that the callback of the beginning of a connection has set.
static inline void *millrace_http_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : (void *)0;
}

#endif

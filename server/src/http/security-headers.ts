import type { HttpAppOptions } from '@portal/edge/http-app';

/**
 * Policy for the page. Scripts come only from the portal's own files. Inline styles are allowed
 * because the component kit and the editor create style elements at run time.
 */
const pagePolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "script-src-attr 'none'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Policy for API responses, which run nothing and must not be framed. */
const dataPolicy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

const dataPaths = /^\/(portal-backend|[\w-]+\/api)\//;

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/**
 * Returns a function that sets the headers that are the same for every response. They are built
 * once, because every request needs them.
 */
export function createSecureHeaders({ https }: { readonly https: boolean }): NonNullable<HttpAppOptions['setHeaders']> {
  const transport = https && { 'strict-transport-security': 'max-age=31536000' };
  const dataHeaders = {
    ...commonHeaders,
    ...transport,
    'content-security-policy': dataPolicy,
    'cache-control': 'no-store',
  };
  const pageHeaders = {
    ...commonHeaders,
    ...transport,
    'content-security-policy': pagePolicy,
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
  };
  return (request, reply) => {
    reply.headers(dataPaths.test(request.url) ? dataHeaders : pageHeaders);
    reply.header('x-request-id', request.id);
  };
}

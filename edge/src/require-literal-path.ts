import { NotFound } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { FastifyInstance } from 'fastify';

/**
 * Serves each route under its literal spelling only. The router decodes a path before it compares
 * it, so `/metric%73` would be `/metrics`, which the rules of a proxy in front may keep from
 * outside. Only values, the `:name` parts of a path, may be encoded.
 */
export function requireLiteralPaths(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const path = request.raw.url?.replace(/\?.*/s, '') ?? '';
    const { url: pattern } = request.routeOptions;
    if (pattern === undefined || isLiteral(path, pattern)) done();
    else done(new NotFound(`There is nothing at ${shortenValue(path)}.`));
  });
}

/** Returns whether the path, as it was sent, is the pattern with values in its place. */
function isLiteral(path: string, pattern: string): boolean {
  const sent = withoutSlash(path).split('/');
  const expected = withoutSlash(pattern).split('/');
  // The name of a file of the page, or of the API page: none needs to be encoded.
  const rest = expected.at(-1) === '*' ? sent.splice(expected.length - 1) : [];
  if (expected.at(-1) === '*') expected.pop();
  return (
    rest.every((part) => isValue(part) && !part.includes('%')) &&
    sent.length === expected.length &&
    expected.every((part, at) => (part.startsWith(':') ? isValue(sent[at] ?? '') : part === sent[at]))
  );
}

/**
 * Returns whether a part of a path is a value. Browsers and proxies resolve `.` and `..`, also when
 * they are encoded, and take a backslash for a slash.
 */
function isValue(part: string): boolean {
  return !/^(\.|%2e){1,2}$/i.test(part) && !part.includes('\\');
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

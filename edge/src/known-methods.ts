import type { FastifyInstance } from 'fastify';

/**
 * Records the methods of each path, to distinguish a wrong method from a wrong path. Must be called
 * before routes are registered. The returned function takes a path without a query.
 */
export function trackMethods(app: FastifyInstance): (path: string) => string[] {
  const known: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const pattern = url
      .replace(/\/$/, '')
      .replace(/[.+?^$()[\]{}|\\]/g, '\\$&')
      .replace(/:[^/]+/g, '[^/]+');
    known.push({ pattern: new RegExp(`^${pattern}/?$`), methods: [method].flat() });
  });
  return (path) => [...new Set(known.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))];
}

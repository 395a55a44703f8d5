import type { FastifyInstance } from 'fastify';

/**
 * Remembers which methods each path takes, so that a wrong method can be told from a wrong path.
 * Must be called before the routes are registered. The answer asks for a path without its query.
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

import type { HeliumDialect, Method } from '../helium/dialect/dialect.config.ts';

type WriteCall = HeliumDialect['appConfig']['write'];

/**
 * Returns the call that probably writes what the other call reads. A change is never tried: the
 * methods are those that the platform allows for the path.
 *
 * @param readPath the path that was found for reading; the configured one if it works.
 */
export function suggestWrite<Call extends WriteCall>(
  current: Call,
  readPath: { readonly configured: string; readonly found: string },
  allow: readonly string[],
): Call {
  const isSamePath = current.path === readPath.configured;
  const write = isSamePath ? { ...current, path: readPath.found } : current;
  if (allow.length === 0 || allow.includes(current.method)) return write;
  const method = (['PUT', 'PATCH', 'POST'] as const satisfies readonly Method[]).find((each) => allow.includes(each));
  if (method === undefined) return write;
  // PUT replaces, by its definition; PATCH does not.
  const style = { PUT: 'whole', PATCH: 'merge', POST: current.style } as const;
  return { ...write, method, style: style[method] };
}

/** Faults on demand: what a simulator does to calls instead of, or in addition to, responding. */
import { z } from 'zod';

/**
 * The faults of any platform:
 * - `refuse`: resets the connection before anything is read or done
 * - `drop`: runs the call and loses its response
 * - `half-body`: closes the connection in the middle of the response
 * - `hang`: never responds
 * - `delay`: responds after `delayMs`
 * - `html`, `error500`: responds with something unexpected, with `status` if given
 */
export const faultModes = ['refuse', 'delay', 'drop', 'html', 'error500', 'half-body', 'hang'] as const;
type FaultMode = (typeof faultModes)[number];

export interface Fault<Mode extends string = FaultMode> {
  /** A regular expression for the path. Default: every path except the simulator's own. */
  readonly path?: string | undefined;
  /** An HTTP method. Default: every method. */
  readonly method?: string | undefined;
  readonly mode: Mode;
  readonly delayMs?: number | undefined;
  readonly status?: number | undefined;
  /** How many calls to skip first. */
  readonly skip?: number | undefined;
  /** How many calls to affect. Default: all of them. */
  readonly times?: number | undefined;
}

export interface Faults<Mode extends string = FaultMode> {
  set(...faults: Fault<Mode>[]): void;
  clear(): void;
  /** The faults that can still occur, with the remaining `skip` and `times`. */
  list(): readonly Fault<Mode>[];
  /** Returns the first fault for this call and counts it. Call it once per request. */
  consume(method: string, path: string): Fault<Mode> | undefined;
}

/** Returns the schema of a request that sets faults: one, a list of them, or null for none. */
export function faultsSchema<Mode extends string>(modes: readonly Mode[]) {
  const fault = z.strictObject({
    path: z.string().refine(isPattern, 'is not a regular expression').optional(),
    method: z.string().optional(),
    mode: z.enum(modes),
    delayMs: z.int().min(0).optional(),
    status: z.int().min(200).max(599).optional(),
    skip: z.int().min(0).optional(),
    times: z.int().min(1).optional(),
  });
  return z.union([z.array(fault), fault, z.null()]).transform((faults) => [faults ?? []].flat());
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

export function createFaults<Mode extends string>(): Faults<Mode> {
  let active: { fault: Fault<Mode>; pattern: RegExp; skip: number; times: number }[] = [];
  return {
    set(...faults) {
      active = faults.map((fault) => ({
        fault,
        pattern: new RegExp(fault.path ?? ''),
        skip: fault.skip ?? 0,
        times: fault.times ?? Number.POSITIVE_INFINITY,
      }));
    },
    clear() {
      active = [];
    },
    list: () =>
      active.map(({ fault: { skip: _skip, times: _times, ...fault }, skip, times }) => ({
        ...fault,
        ...(skip > 0 ? { skip } : {}),
        ...(Number.isFinite(times) ? { times } : {}),
      })),
    consume(method, path) {
      if (path.startsWith('/simulator/')) return undefined;
      for (const one of active) {
        if (!one.pattern.test(path) || (one.fault.method ?? method) !== method) continue;
        if (one.skip > 0) {
          one.skip -= 1;
          continue;
        }
        one.times -= 1;
        if (one.times <= 0) active = active.filter((other) => other !== one);
        return one.fault;
      }
      return undefined;
    },
  };
}

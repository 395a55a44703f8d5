/** Trouble on demand: what a simulator does to calls instead of, or besides, answering them. */
import { z } from 'zod';

/**
 * What any platform can suffer:
 * - `refuse`: the connection is reset before anything is read or done
 * - `drop`: the call is carried out and its answer lost
 * - `half-body`: the answer breaks off in its middle
 * - `hang`: never an answer
 * - `delay`: the answer after `delayMs`
 * - `html`, `error500`: an answer, but not the one expected, with `status` if given
 */
export const faultModes = ['refuse', 'delay', 'drop', 'html', 'error500', 'half-body', 'hang'] as const;
type FaultMode = (typeof faultModes)[number];

export interface Fault<Mode extends string = FaultMode> {
  /** A regular expression for the path; without it every path but the simulator's own. */
  readonly path?: string | undefined;
  /** An HTTP method; without it every one. */
  readonly method?: string | undefined;
  readonly mode: Mode;
  readonly delayMs?: number | undefined;
  readonly status?: number | undefined;
  /** How many calls it leaves alone first. */
  readonly skip?: number | undefined;
  /** How many calls it strikes; all that come when left out. */
  readonly times?: number | undefined;
}

export interface Faults<Mode extends string = FaultMode> {
  set(...faults: Fault<Mode>[]): void;
  clear(): void;
  /** Those that may still strike, `skip` and `times` as they are by now. */
  list(): readonly Fault<Mode>[];
  /** The first fault meant for this call, which is thereby counted. Asked once per call. */
  take(method: string, path: string): Fault<Mode> | undefined;
}

/** The shape of a fault as it is sent, of the modes one platform knows. */
export function faultSchema<Mode extends string>(modes: readonly Mode[]) {
  return z.strictObject({
    path: z.string().refine(isPattern, 'is not a regular expression').optional(),
    method: z.string().optional(),
    mode: z.enum(modes),
    delayMs: z.int().min(0).optional(),
    status: z.int().min(200).max(599).optional(),
    skip: z.int().min(0).optional(),
    times: z.int().min(1).optional(),
  });
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
    take(method, path) {
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

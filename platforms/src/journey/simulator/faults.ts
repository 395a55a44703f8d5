/** Trouble on demand: what the backend does to calls instead of, or besides, answering them. */
import { z } from 'zod';

/**
 * - `refuse`: the connection is reset before anything is read or done
 * - `drop`: the call is carried out and its answer lost
 * - `half-body`: the answer breaks off in its middle
 * - `hang`: never an answer
 * - `delay`: the answer after `delayMs`
 * - `html`, `error500`: an answer, but not the one expected, with `status` if given
 * - `unauthorized`, `too-many-requests`: 401 and 429 as the backend words them
 * - `half-batch`: the first half of a batch is carried out, then an internal error
 * - `repeat-page`: the op-log answers once more what it answered last
 * - `overlap-page`: the op-log's page begins up to ten entries too early
 * - `reorder-page`: the entries of the op-log's page come in another order
 */
export const faultModes = [
  'refuse',
  'delay',
  'drop',
  'html',
  'error500',
  'half-body',
  'hang',
  'unauthorized',
  'too-many-requests',
  'half-batch',
  'repeat-page',
  'overlap-page',
  'reorder-page',
] as const;

export const Fault = z.strictObject({
  /** A regular expression for the path; without it every path but the simulator's own. */
  path: z.string().refine(isPattern, 'is not a regular expression').optional(),
  /** An HTTP method; without it every one. */
  method: z.string().optional(),
  mode: z.enum(faultModes),
  delayMs: z.int().min(0).optional(),
  status: z.int().min(200).max(599).optional(),
  /** How many calls it leaves alone first. */
  skip: z.int().min(0).optional(),
  /** How many calls it strikes; all that come when left out. */
  times: z.int().min(1).optional(),
});
export type Fault = z.infer<typeof Fault>;

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

export interface Faults {
  set(...faults: Fault[]): void;
  clear(): void;
  /** Those that may still strike, `skip` and `times` as they are by now. */
  list(): readonly Fault[];
  /** The first fault meant for this call, which is thereby counted. Asked once per call. */
  take(method: string, path: string): Fault | undefined;
}

export function createFaults(): Faults {
  let active: { fault: Fault; pattern: RegExp; skip: number; times: number }[] = [];
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

export const htmlPage =
  '<!doctype html><html><head><title>Maintenance</title></head><body><h1>We will be back soon</h1></body></html>';

/** Trouble on demand: what the platform does to calls instead of, or besides, answering them. */
import { z } from 'zod';

/**
 * - `refuse`: the connection is reset before anything is read or done
 * - `drop`: the call is carried out and its answer lost
 * - `half-body`: the answer breaks off in its middle
 * - `hang`: never an answer
 * - `delay`: the answer after `delayMs`
 * - `html`, `error500`: an answer, but not the one expected, with `status` if given
 */
export const faultModes = ['refuse', 'delay', 'drop', 'html', 'error500', 'half-body', 'hang'] as const;

export const Fault = z.strictObject({
  /** A regular expression for the path; without it every path but the simulator's own. */
  path: z.string().refine(isPattern, 'is not a regular expression').optional(),
  mode: z.enum(faultModes),
  delayMs: z.int().min(0).optional(),
  status: z.int().min(200).max(599).optional(),
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
  list(): readonly Fault[];
  /** The first fault meant for this path. */
  find(path: string): Fault | undefined;
}

export function createFaults(): Faults {
  let active: { fault: Fault; pattern: RegExp }[] = [];
  return {
    set(...faults) {
      active = faults.map((fault) => ({ fault, pattern: new RegExp(fault.path ?? '') }));
    },
    clear() {
      active = [];
    },
    list: () => active.map(({ fault }) => fault),
    find: (path) =>
      path.startsWith('/simulator/') ? undefined : active.find(({ pattern }) => pattern.test(path))?.fault,
  };
}

export const htmlPage =
  '<!doctype html><html><head><title>Maintenance</title></head><body><h1>We will be back soon</h1></body></html>';

/** The loops of a run sleep until something happens that gives them work: this table says what. */
import { WakeSignal } from './wake-signal.ts';

type LoopName = 'to-journey' | 'to-helium' | 'files' | 'compare' | 'look-again' | 'enrollment' | 'requests';

/** The loops that must not sleep through what happens. */
const wokenBy = {
  // Inside the run.
  'records to send': ['to-journey'],
  'mapping changed': ['to-journey'],
  'full read complete': ['to-journey'],
  'op-log awaited': ['to-helium'],
  'counts changed': ['to-helium'],
  'columns added': ['to-helium'],
  'logs awaited': ['to-helium', 'to-journey'],
  'absences decided': ['to-helium', 'to-journey'],
  'full read planned': ['to-helium', 'to-journey'],
  'files to fetch': ['files'],
  'comparison requested': ['compare'],
  'enrollment requested': ['enrollment'],
  // In Helium's database.
  'change log grew': ['to-journey', 'requests'],
  'change without log': ['to-journey'],
  'catalog changed': ['to-journey', 'to-helium'],
  // In Journey.
  'webhook received': ['to-helium'],
  'Journey is back': ['enrollment'],
  // By an operator.
  'try now': ['to-helium', 'compare', 'enrollment'],
  'operator acted': ['to-journey', 'to-helium', 'files', 'compare', 'look-again', 'enrollment'],
} as const satisfies Record<string, readonly LoopName[]>;

type WakeReason = keyof typeof wokenBy;

export class Loops {
  readonly #signals: Readonly<Record<LoopName, WakeSignal>> = {
    'to-journey': new WakeSignal(),
    'to-helium': new WakeSignal(),
    files: new WakeSignal(),
    compare: new WakeSignal(),
    'look-again': new WakeSignal(),
    enrollment: new WakeSignal(),
    requests: new WakeSignal(),
  };

  wake(reason: WakeReason): void {
    for (const name of wokenBy[reason]) this.#signals[name].wake();
  }

  /** Sleeps as `WakeSignal.sleep` does, until something wakes this loop. */
  sleep(name: LoopName, ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#signals[name].sleep(ms, signal);
  }
}

import type { RunHost } from '../../integration/run-host.ts';
import type { SyncContext } from './context.ts';

/** What every step of a running integration works with. */
export interface Run extends Pick<RunHost, 'signal' | 'log' | 'publish'> {
  /** The context with the current mapping. Loops read it again for each page. */
  readonly context: SyncContext;
}

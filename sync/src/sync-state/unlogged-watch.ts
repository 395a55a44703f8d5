/**
 * Notifies listeners when something about an app may have changed that its change log does not
 * show: its tables and the files with their rows, entries that were removed from the log, or the
 * state of its sync. There is one watch per database, and one statement reads many apps: an
 * integration at rest costs the service next to nothing.
 *
 * It only says that something may have changed. The integration then checks what it needs.
 */
import type { Pool } from '@portal/kit/postgres/pool';
import { type AppFingerprint, readFingerprints } from './fingerprints.store.ts';
import type { StateInSchema } from './helium-proof.store.ts';

/**
 * 'catalog': the app's data model in Helium differs. 'state': something else does. 'unknown': it is
 * read for the first time, or cannot be read.
 */
type UnloggedChange = 'catalog' | 'state' | 'unknown';

export interface UnloggedWatch {
  /** The listener must not throw. Returns a function that stops the watch. */
  watch(app: StateInSchema, listener: (change: UnloggedChange) => void): () => void;
  /** Stops the watch. No listener is called after it returns. */
  close(): void;
}

/** Reading an app takes PostgreSQL about half a millisecond. */
const appsPerStatement = 50;

interface Watched {
  readonly app: StateInSchema;
  readonly listener: (change: UnloggedChange) => void;
  /** null before it is first read, and after a failure. */
  seen: AppFingerprint | null;
}

/** @param everyMs how often each app is read */
export function createUnloggedWatch(pool: Pool, everyMs: number): UnloggedWatch {
  const all = new Set<Watched>();
  /** Those that are still to be read in this round. */
  let left: Watched[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;

  async function readNext(): Promise<void> {
    isReading = true;
    if (left.length === 0) left = [...all];
    const some = left.splice(0, appsPerStatement);
    const apps = some.map(({ app }) => app);
    // The integrations look for themselves then, and report what keeps them from it.
    const found = await readFingerprints(pool, apps).catch(() => []);
    for (const [index, watched] of some.entries()) if (all.has(watched)) compare(watched, found[index] ?? null);
    isReading = false;
    schedule();
  }

  function schedule(): void {
    if (timer || isReading || all.size === 0) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        void readNext();
      },
      everyMs / Math.ceil(all.size / appsPerStatement),
    );
  }

  return {
    watch(app, listener) {
      const watched = { app, listener, seen: null };
      all.add(watched);
      schedule();
      return () => void all.delete(watched);
    },
    close() {
      all.clear();
      clearTimeout(timer);
    },
  };
}

function compare(watched: Watched, now: AppFingerprint | null): void {
  const { seen, listener } = watched;
  watched.seen = now;
  if (now === null || seen === null) listener('unknown');
  else if (now.catalog !== seen.catalog) listener('catalog');
  else if (now.state !== seen.state) listener('state');
}

/**
 * Records of a write that Helium refuses whatever the row is, such as every insert into a table
 * whose trigger reads a dropped table. They wait instead of each becoming a dead letter, and all
 * are written once Helium accepts one of them.
 */
import type { KeyMap } from '../../../record/record-key.ts';
import type { Hold, RefusedWrite } from '../../../sync-state/held-records.store.ts';
import type { SyncContext } from '../../state/context.ts';
import type { MergedEntry, MergeOutcome } from '../merger/merged-entry.ts';

const kindPrefix = 'every ';
const retryMs = { first: 5_000, max: 600_000 };

export function isAlwaysRefused(kind: string): boolean {
  return kind.startsWith(kindPrefix);
}

interface Group {
  readonly write: Pick<RefusedWrite, 'table' | 'operation'>;
  isAccepted: boolean;
  readonly refused: MergedEntry[];
}

/**
 * Has the rejected records of a page wait whose write is always refused. Returns the writes of
 * which that is new: their dead letters wait, too.
 */
export function pauseRefused(
  { refusedWrites, log }: Pick<SyncContext, 'refusedWrites' | 'log'>,
  merged: readonly MergedEntry[],
  outcomes: KeyMap<MergeOutcome>,
  holds: KeyMap<Hold>,
): readonly RefusedWrite[] {
  const found: RefusedWrite[] = [];
  for (const [name, { write, isAccepted, refused }] of groupByWrite(merged, outcomes)) {
    if (isAccepted) refusedWrites.recordAccepted(name, Date.now());
    // What is held for longer was refused while others were accepted.
    const acceptedAtMs = refusedWrites.getAcceptedAtMs(name);
    const rejected = refused.filter(
      ({ key, held }) => holds.get(key)?.state === 'dead' && (!held || held.sinceMs > acceptedAtMs),
    );
    const [first] = rejected.flatMap(({ key }) => holds.get(key) ?? []);
    if (isAccepted || !first) continue;
    const kind = kindPrefix + name;
    const { kind: code } = first;
    const sameCode = rejected.filter(({ key }) => holds.get(key)?.kind === code);
    const news = sameCode.filter(({ held }) => !held).length;
    const { isAlways, isNew } = refusedWrites.recordRefused(name, code, news);
    if (!isAlways && !sameCode.some(({ held }) => held?.kind === kind)) continue;
    const intro = `Helium refuses every ${name}: `;
    for (const { key, held } of sameCode) {
      const hold = holds.get(key);
      const delayMs = Math.min(retryMs.first * 2 ** (held?.kind === kind ? held.attempts : 0), retryMs.max);
      if (hold) holds.set(key, { ...hold, state: 'waiting', kind, reason: intro + hold.reason, retryMs: delayMs });
    }
    if (!isNew) continue;
    log(
      'SEVERE',
      `${intro}${first.reason}. These records wait, and are retried until it accepts one. All others are synced.`,
    );
    found.push({ ...write, code, kind, intro, retryMs: retryMs.first });
  }
  return found;
}

function groupByWrite(merged: readonly MergedEntry[], outcomes: KeyMap<MergeOutcome>): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const one of merged) {
    const status = outcomes.get(one.key)?.status;
    if (status !== 'written' && status !== 'refused') continue;
    const write = { table: one.key.table, operation: findOperation(one) };
    const name = `${write.operation} of ${write.table}`;
    const group = groups.get(name) ?? { write, isAccepted: false, refused: [] };
    if (status === 'written') group.isAccepted = true;
    else group.refused.push(one);
    groups.set(name, group);
  }
  return groups;
}

function findOperation({ row, rowAfter }: MergedEntry): RefusedWrite['operation'] {
  if (row === null) return 'insert';
  return rowAfter === null ? 'delete' : 'update';
}

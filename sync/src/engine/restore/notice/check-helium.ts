/**
 * Verifies that Helium is still what the state was written for, before anything is planned from its
 * rows: rows that a restore brought back or took away are nobody's edits.
 */

import { isUnchanged } from '../../../helium/change-log-point.ts';
import type { ChangeLogFinding, ChangeLogPoint, Db } from '../../../helium/helium-gateway.ts';
import { type HeliumIdentity, type HeliumProof, readHeliumProof } from '../../../sync-state/helium-proof.store.ts';
import type { SyncContext } from '../../state/context.ts';
import { StateRestored } from '../../state/state-restored.ts';
import { RestoreFound } from './restore-found.ts';

export interface VerifiedHelium {
  /** What became of the last entry of the change log that was read. */
  readonly finding: Exclude<ChangeLogFinding, { kind: 'restored' }>;
  /** The newest entry of the change log; null when it is empty. */
  readonly head: ChangeLogPoint | null;
}

export type ProvenContext = Pick<SyncContext, 'stateId' | 'helium'> &
  Partial<Pick<SyncContext, 'revision' | 'mapping'>>;

/**
 * Throws RestoreFound when Helium went back and the state did not, and an ordinary error when both
 * did: the run is then opened from the restored state. Throws TablesRewritten when rows may be gone
 * that no log names, and ColumnsAdded when the mapping was built before a column was added.
 *
 * @param db the transaction whose rows are to be proven, after they were read
 * @param newest an entry that was read but not stored yet
 */
export async function verifyHelium(
  context: ProvenContext,
  db: Db = context.helium.pool,
  newest: ChangeLogPoint | null = null,
): Promise<VerifiedHelium> {
  const { helium, stateId, revision } = context;
  const { schema } = helium;
  const checkRevision = revision?.expectStored();
  const proof = await readHeliumProof(db, { stateId, schema }, newest);
  const { stored, storedNow, newestNow, identity, identityNow, head } = proof;
  // A state that is restored row by row keeps its table. Without this, a run that has nothing to do
  // would not notice it.
  if (identity && identity.state !== identityNow.state) throw new StateRestored();
  checkRevision?.(proof.revision);
  const ofStored =
    stored === null || (!stored.isCleared && isUnchanged(storedNow, stored))
      ? ({ kind: 'proven' } as const)
      : await helium.findPoint(db, stored);
  const finding = ofStored.kind === 'restored' ? ofStored : ((await findLostSent(context, db, proof)) ?? ofStored);
  const replaced = identity ? findReplacedTables(identity, identityNow) : [];
  if (replaced.length > 0) throw tablesReplaced(proof, replaced, finding);
  if (finding.kind === 'restored')
    throw new RestoreFound(`Helium's database was restored, or a part of it was. ${finding.evidence}`, {
      side: 'helium',
      asOf: finding.asOf,
      tables: null,
    });
  const files = identity ? findRewrittenTables(identity, identityNow) : {};
  if (Object.keys(files).length > 0) throw new TablesRewritten(files);
  const widened = findWidenedTables(context, proof);
  if (widened.length > 0) throw new ColumnsAdded(widened);
  // What is stored is proven, so the entry was lost before it had any effect.
  if (newest && stored?.seq !== newest.seq && !isUnchanged(newestNow, newest)) throw new StateRestored();
  return { finding, head };
}

/**
 * Finds a restore to before entries that are not stored as read yet: a call that was planned after
 * they were written may have sent their edits. Returns null when there was none.
 */
async function findLostSent({ helium }: ProvenContext, db: Db, { stored, sent, sentNow }: HeliumProof) {
  if (sent === null || isUnchanged(sentNow, sent) || BigInt(stored?.seq ?? 0) >= BigInt(sent.seq)) return null;
  const finding = await helium.findPoint(db, sent);
  return finding.kind === 'restored' ? finding : null;
}

/**
 * TRUNCATE, VACUUM FULL, CLUSTER and some changes of columns rewrite a table: known records may be
 * gone.
 */
export class TablesRewritten extends Error {
  override readonly name = 'TablesRewritten';
  /** The files that contain the rows now, by table. */
  readonly files: Readonly<Record<string, string>>;

  constructor(files: Readonly<Record<string, string>>) {
    super(`Helium rewrote ${Object.keys(files).join(', ')}.`);
    this.files = files;
  }
}

/**
 * A column was added since the mapping was built: it may be in the place of another one of the same
 * name, whose values it does not have.
 */
export class ColumnsAdded extends Error {
  override readonly name = 'ColumnsAdded';

  constructor(tables: readonly string[]) {
    super(`Helium added columns to ${tables.join(', ')}.`);
  }
}

function findWidenedTables({ mapping }: ProvenContext, { widths }: HeliumProof): string[] {
  return (mapping?.objects ?? [])
    .filter(({ table, width }) => width !== undefined && (widths[table] ?? width) !== width)
    .map(({ table }) => table);
}

/** Returns the tables whose rows are in another file than before, with that file. */
function findRewrittenTables(before: HeliumIdentity, now: HeliumProof['identityNow']): Record<string, string> {
  const known = before.files;
  return Object.fromEntries(
    Object.entries(now.files).filter(([table, file]) => Object.hasOwn(known, table) && known[table] !== file),
  );
}

function findReplacedTables(before: HeliumIdentity, now: HeliumProof['identityNow']): string[] {
  return Object.keys(before.tables).filter((table) => {
    const oid = now.tables[table];
    return oid !== undefined && oid !== before.tables[table];
  });
}

function tablesReplaced(
  { identity, identityNow }: HeliumProof,
  tables: readonly string[],
  finding: ChangeLogFinding,
): RestoreFound {
  const asOf = finding.kind === 'restored' ? finding.asOf : null;
  if (identity?.log !== identityNow.log)
    return new RestoreFound(
      `Helium's tables were dropped and created again, together with their change log: they were restored.`,
      { side: 'helium', asOf, tables: null },
    );
  const names = tables.join(', ');
  const subject = tables.length === 1 ? `table ${names} was` : `tables ${names} were`;
  return new RestoreFound(
    `Helium's ${subject} dropped and created again: which of the changes since then are missing is in no log.`,
    { side: 'helium', asOf: null, tables },
  );
}

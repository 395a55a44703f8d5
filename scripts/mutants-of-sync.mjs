/**
 * Mutations of the sync engine: texts in its files, their replacements, and the tests that must
 * fail.
 */
const reader = 'sync/src/helium/read-change-log.ts';
const writers = 'sync/src/helium/change-log-writers.ts';
const races = ['sync/src/helium/change-log-races'];
const noWait = {
  file: reader,
  from: 'if (writers.length > 0) await waitForWriters(pool, schema, writers, request);',
  to: 'void waitForWriters;',
};
const faults = (...names) => names.map((name) => `sync/src/pump/faults/${name}`);
const one = (file, from, to) => [{ file: `sync/src/${file}`, from, to }];

export const mutants = [
  { name: 'the log is read by the number only', tests: races, changes: [noWait] },
  {
    name: 'the log read below xmin',
    tests: races,
    changes: [
      noWait,
      {
        file: reader,
        from: 'where seq > $1 and seq <= $2 order',
        to: 'where seq > $1 and seq <= $2 and tx_id < txid_snapshot_xmin(txid_current_snapshot()) order',
      },
    ],
  },
  {
    name: 'the fence locks only the log tables',
    tests: races,
    changes: [
      {
        file: writers,
        from: String.raw`
      or exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname like '\\_\\_he\\_sync\\_obj\\_%')`,
        to: '',
      },
    ],
  },
  {
    name: 'locks are read before the horizon',
    // No race can be forced between two statements of the engine itself, so this relies on many
    // concurrent writers.
    tests: ['sync/src/helium/change-log-stress'],
    only: 'loses nothing',
    changes: [
      {
        file: reader,
        from: 'return rows[0] ?? {',
        to: 'await pause(20);\n  const later = await readHead(pool, schema);\n  return rows[0] ? { ...rows[0], head: later } : {',
      },
    ],
  },
  {
    name: 'prepared transactions are ignored',
    tests: faults('prepared-transaction'),
    changes: one('helium/change-log-writers.ts', 'where l.granted and ', 'where l.granted and l.pid is not null and '),
  },
  {
    name: 'transactions prepared concurrently are ignored',
    tests: races,
    changes: one('helium/change-log-writers.ts', ' or l.pid is null)', ' and l.pid is not null)'),
  },
  {
    name: 'the logged `change` is trusted',
    tests: races,
    changes: [
      { file: reader, from: 'object_uuid::text as id from', to: 'object_uuid::text as id, change::text from' },
      {
        file: reader,
        from: 'for (const { table, id } of rows) {',
        to: 'for (const { table, id, change } of rows as (LogRow & { change: string })[]) {\n    Reflect.set(globalThis, "gone " + id, change === "delete");',
      },
      {
        file: 'sync/src/helium/read-rows.ts',
        from: '  if (ids.length === 0) return [];',
        to: '  ids = ids.filter((id) => !Reflect.get(globalThis, "gone " + id));\n  if (ids.length === 0) return [];',
      },
    ],
  },
  {
    name: 'the end of the log is not compared with the cursor',
    tests: faults('halts'),
    only: 'restore',
    changes: one('helium/read-change-log.ts', 'historyLost: lead > 0n', 'historyLost: false'),
  },
  {
    name: 'the intent is not stored',
    tests: faults('echoes'),
    changes: one(
      'pump/to-journey/plan-writes.ts',
      'echoing.length > 0 ? await addIntents(db, context.stateId, call, intents) : []',
      '(void addIntents, [])',
    ),
  },
  {
    name: 'the fence is not checked',
    tests: faults('two-engines'),
    only: 'older',
    changes: one(
      'sync-state/runs.store.ts',
      'where state_id = $1 and fence = $2 for update',
      'where state_id = $1 and fence >= 0 and $2::bigint > 0 for update',
    ),
  },
  {
    name: 'the cursor moves before the batch',
    tests: faults('two-engines'),
    only: 'again and again',
    changes: one('pump/to-journey/send-page.ts', 'if (isDone) await finish', 'if (done) await finish'),
  },
  {
    name: 'the op-log cursor is saved in a separate transaction, before the rows',
    tests: ['sync/src/pump/kill-loop', 'sync/src/pump/kill-each-step', ...faults('helium-database')],
    changes: one(
      'pump/to-helium/apply-page.ts',
      'export function applyPage(context: SyncContext, page: EntryPage): Promise<ApplyResult | MissingFiles> {\n  return',
      'export async function applyPage(context: SyncContext, page: EntryPage): Promise<ApplyResult | MissingFiles> {\n  if (page.opLogCursor !== undefined) {\n    await saveRun(context.helium.pool, context.stateId, page);\n    await new Promise((resolve) => setTimeout(resolve, 30));\n    page = { ...page, readBehind: page.opLogCursor };\n  }\n  return',
    ),
  },
  {
    name: 'dependents signal is not sent',
    tests: faults('references'),
    changes: one(
      'sync-state/held-records.store.ts',
      'set retry_at = now() where state_id = $1 and state',
      'set retry_at = retry_at where state_id = $1 and state',
    ),
  },
  {
    name: 'an echo releases a held record',
    tests: faults('poison'),
    only: 'echo of ours',
    changes: one('record/apply-entry.ts', 'if (held) return', 'if (held && !applyEcho(state, entry)) return'),
  },
  {
    name: 'a superseded intent is removed',
    tests: ['sync/src/record/two-stores'],
    changes: one(
      'record/record-state.fixture.ts',
      "[...intents.map((one) => (one.stage === 'sent' ? { ...one, stage: 'superseded' as const } : one)), added]",
      "[...intents.filter((one) => one.stage !== 'sent'), added]",
    ),
  },
  {
    name: 'deleted records are missed by a full read again',
    tests: faults('halts'),
    only: 'shorter than the downtime',
    changes: one(
      'pump/to-helium/read-all-objects.ts',
      'entries: [...listed.filter(({ key }) => includes(key.id)), ...deleted]',
      'entries: [...listed.filter(({ key }) => includes(key.id)), ...deleted.slice(0, 0)]',
    ),
  },
  {
    name: 'listings are never removed',
    tests: faults('edits-on-both-sides'),
    only: 'corrected',
    changes: one(
      'pump/to-helium/read-op-log.ts',
      '  if (progress.hasListings) await removeListings(active);\n',
      '  void removeListings;\n',
    ),
  },
  {
    name: 'suspended tables are not read again',
    tests: faults('data-model'),
    only: 'resumes when it is saved',
    changes: one('mapping/accept-mapping.ts', ', ...(before.suspendedTables ?? [])]', ']'),
  },
  {
    name: 'a new column is treated as a cleared one',
    tests: faults('data-model'),
    only: 'added on both sides',
    changes: one('record/merge.ts', 'const before = base[column] ?? null', 'const before = base[column]'),
  },
  {
    name: 'a parked record is retried although its table is suspended',
    tests: faults('data-model'),
    only: 'parked',
    changes: one('sync-state/held-records.store.ts', ' and table_name = any($4)', ' and $4::text[] is not null'),
  },
  {
    name: 'a single end of the op-log is trusted',
    tests: ['sync/src/pump/shared/pending-echoes'],
    changes: one('pump/shared/pending-echoes.ts', 'const requiredEnds = 5;', 'const requiredEnds = 1;'),
  },
  {
    name: 'a batch is sent again before the op-log is read',
    tests: ['sync/src/record/two-stores'],
    changes: one('pump/shared/pending-echoes.ts', '    this.#mustReadFirst = true;', '    void this.#mustReadFirst;'),
  },
  {
    name: 'a second answer replaces the first',
    tests: ['sync/src/sync-state/questions.store', 'sync/src/create-engine'],
    changes: one('sync-state/questions.store.ts', ' and answer is null and ', ' and '),
  },
  {
    name: 'an answer that deletes records needs no confirmation',
    tests: ['sync/src/api/answer-recovery'],
    changes: one('api/answer-recovery.ts', 'confirmation !== deleteConfirmation', '!confirmation'),
  },
];

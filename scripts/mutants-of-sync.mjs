/**
 * Mutations of the sync engine: texts in its files, their replacements, and the tests that must
 * fail.
 */
const reader = 'sync/src/helium/read-change-log.ts';
const writers = 'sync/src/helium/change-log-writers.ts';
const races = ['sync/src/helium/change-log-races'];
const noWait = {
  file: reader,
  from: 'if (writers.length > 0) await waitForWriters(reading, schema, writers, request);',
  to: 'void waitForWriters;',
};
const faults = (...names) => names.map((name) => `sync/src/engine/faults/${name}`);
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
        from: 'where seq >= $1 and seq <= $2 order',
        to: 'where seq >= $1 and seq <= $2 and tx_id < txid_snapshot_xmin(txid_current_snapshot()) order',
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
    only: 'without loss',
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
    tests: faults('helium/prepared-transaction'),
    changes: one('helium/change-log-writers.ts', 'where l.granted and ', 'where l.granted and l.pid is not null and '),
  },
  {
    name: 'transactions prepared concurrently are ignored',
    tests: races,
    changes: one('helium/change-log-writers.ts', ' or l.pid is null)', ' and l.pid is not null)'),
  },
  {
    name: 'transactions that start tracking a table are ignored',
    tests: races,
    changes: one(
      'helium/change-log-writers.ts',
      "or (l.mode = 'ShareRowExclusiveLock' and c.relkind in ('r', 'p'))",
      '',
    ),
  },
  {
    name: 'the logged `change` is trusted',
    tests: races,
    changes: [
      { file: reader, from: '"isUpdate" from', to: '"isUpdate", change::text from' },
      {
        file: reader,
        from: 'for (const { table, id, isUpdate } of rows) {',
        to: 'for (const { table, id, isUpdate, change } of rows as (Entry & { change: string })[]) {\n    Reflect.set(globalThis, "gone " + id, change === "delete");',
      },
      {
        file: 'sync/src/helium/read-rows.ts',
        from: 'if (ids.length === 0) return [];\n  const rows',
        to: 'ids = ids.filter((id) => !Reflect.get(globalThis, "gone " + id));\n  if (ids.length === 0) return [];\n  const rows',
      },
    ],
  },
  {
    name: 'the change-log entry at the cursor is not verified',
    tests: faults('restores/restored-helium'),
    only: 'overtaken',
    changes: one('helium/change-log-point.ts', 'return entry.table === point.table &&', 'return true ||'),
  },
  {
    name: 'a table that was created again counts as the same',
    tests: faults('restores/restored-helium'),
    only: 'one of its tables',
    changes: one(
      'engine/restore/notice/check-helium.ts',
      'oid !== undefined && oid !==',
      'oid === undefined && oid !==',
    ),
  },
  {
    name: 'the op-log entry at the cursor is not compared',
    tests: faults('restores/restored-journey'),
    only: 'overtaken',
    changes: one(
      'engine/restore/notice/check-journey.ts',
      '  if (isSameEntry(entry, point)) return;',
      '  if (point) return;',
    ),
  },
  {
    name: 'a log that is not read is not looked at',
    tests: faults('restores/restored-helium'),
    only: 'its changes are not read',
    changes: one('engine/to-helium/steps.ts', 'if (!active.isFromHelium) await look', 'if (!active) await look'),
  },
  {
    name: 'a restored state counts as current where Journey is not read',
    tests: faults('restores/restored-helium'),
    only: 'with its state',
    changes: one('engine/restore/check-at-start.ts', 'if (!isAnswered) checkPublished', 'if (!run) checkPublished'),
  },
  {
    name: 'what devices change counts as the source where their changes are not read',
    tests: ['sync/src/engine/compare/one-way'],
    only: 'what devices have edited',
    changes: one(
      'engine/compare/find-differences.ts',
      "if (!(side === 'helium' ? map.toJourney : map.toHelium))",
      'if (!map)',
    ),
  },
  {
    name: 'rows from before the start version are sent',
    tests: ['sync/src/engine/compare/one-way'],
    only: 'before the version',
    changes: one('engine/compare/find-differences.ts', "journey !== null || start === '0' ||", 'true ||'),
  },
  {
    name: 'looking again at a listed record finds nothing new',
    tests: ['sync/src/engine/compare/one-way'],
    only: 'listed record when an operator looks again',
    changes: one('engine/compare/look-again-loop.ts', 'await findDifferences(db, context.stateId, keys)', '[]'),
  },
  {
    name: 'objects that are older than what was written to them count as edited',
    tests: ['sync/src/engine/compare/lost-writes'],
    only: 'and sends what it lost',
    changes: one('engine/compare/find-lost-writes.ts', 'changedAtMs < writtenAtMs - clockMarginMs', 'changedAtMs < 0'),
  },
  {
    name: 'missing objects count as deleted without an entry of the op-log',
    tests: ['sync/src/engine/compare/lost-writes'],
    only: 'since the copy are missing',
    changes: one('engine/compare/find-lost-writes.ts', '&& !ids.has(id)', '&& ids.has(id)'),
  },
  {
    name: 'missing objects count as lost where the op-log has expired',
    tests: ['sync/src/engine/compare/lost-writes'],
    only: 'have expired',
    changes: one('engine/compare/find-lost-writes.ts', '(writtenAtMs ?? 0) >= sinceMs &&', 'sinceMs > 0 &&'),
  },
  {
    name: 'the op-log may start with any entry',
    tests: faults('journey/expired-logs'),
    only: 'first entries',
    changes: one('journey/op-log-reader.ts', 'entries.some(({ sequence }) => sequence === next)', 'next !== cursor'),
  },
  {
    name: 'the intent is not stored',
    tests: faults('journey/echoes'),
    changes: one(
      'engine/to-journey/planner.ts',
      'echoing.length > 0 ? await addIntents(db, context.stateId, call, intents) : []',
      '(void addIntents, [])',
    ),
  },
  {
    name: 'the fence is not checked',
    tests: faults('processes/two-engines'),
    only: 'older',
    changes: [
      ...one(
        'sync-state/runs.store.ts',
        'from __portal_sync__.run where state_id = $1 and fence = $2`',
        'from __portal_sync__.run where state_id = $1 and fence >= 0 and $2::bigint > 0`',
      ),
      ...one('sync-state/runs.store.ts', '$15::bigint is null or fence = $15', '$15::bigint is null or fence >= 0'),
    ],
  },
  {
    name: 'the fence is checked only at the start of a page',
    tests: faults('processes/two-engines'),
    only: 'in the middle of its page',
    changes: one('sync-state/runs.store.ts', '$15::bigint is null or fence = $15', '$15::bigint is null or fence >= 0'),
  },
  {
    name: 'sessions of the engine wait for locks without a limit',
    tests: ['sync/src/sync-state/helium-databases'],
    changes: one('sync-state/helium-databases.ts', '      lockTimeoutMs,\n', ''),
  },
  {
    name: 'enrollment waits after a lock as after any other failure',
    tests: faults('enrollment/enrollment-requests'),
    only: 'could not read at first',
    changes: one('engine/run/enrollment-loop.ts', ' || isContention(error)', ''),
  },
  {
    name: 'a page waits for locked rows',
    tests: faults('helium/row-locks'),
    only: 'syncs everything but',
    changes: one('helium/read-rows.ts', ' for no key update skip locked', ' for no key update'),
  },
  {
    name: 'an insert overwrites a row that it meets',
    tests: ['sync/src/helium/write-rows.test'],
    only: 'wait when they are inserted',
    changes: one(
      'helium/run-step.ts',
      'on conflict (_id_) do nothing',
      'on conflict (_id_) do update set name = excluded.name',
    ),
  },
  {
    name: 'only some codes of PostgreSQL concern a row',
    tests: faults('records/refused-rows'),
    only: 'holds the change and the deletion',
    changes: one(
      'helium/content-refusal.ts',
      'error instanceof pg.DatabaseError;',
      'error instanceof pg.DatabaseError && /^(2|P0)/.test(error.code ?? "");',
    ),
  },
  {
    name: 'a statement that is refused without rows is taken for refused rows',
    tests: faults('records/refused-rows'),
    only: 'holds no record',
    changes: one('helium/probe-statement.ts', 'if (!refusal) return;', 'if (refusal ?? true) return;'),
  },
  {
    name: 'any id of an op-log entry is taken for a UUID',
    tests: faults('journey/unreadable-entries'),
    changes: one('journey/unreadable-entries.ts', 'if (map && parseUuid(object.id) !== undefined)', 'if (map)'),
  },
  {
    name: 'columns that Helium computes are written',
    tests: faults('helium/computed-columns'),
    only: 'never writes a column',
    changes: one('helium/write-steps.ts', 'map.fields.filter(({ isComputed = false }) => !isComputed)', 'map.fields'),
  },
  {
    name: 'what a device enters in a computed column is dropped',
    tests: faults('helium/computed-columns'),
    only: 'never writes a column',
    changes: one(
      'record/merge.ts',
      "      conflicts.push({ column, helium, journey, winner: 'helium' });\n      continue;",
      '      continue;',
    ),
  },
  {
    name: 'an empty field of a new record is written as empty',
    tests: faults('helium/computed-columns'),
    only: 'gives a new record the defaults',
    changes: one('helium/write-steps.ts', '!field.hasDefault || isGiven(field)', 'true || isGiven(field)'),
  },
  {
    name: 'a row that cannot be read stops the page',
    tests: faults('helium/computed-columns'),
    only: 'holds a row that Helium cannot read',
    changes: one(
      'helium/read-computed.ts',
      'if (!cause) return rows;',
      'if (cause) throw cause;\n  if (!cause) return rows;',
    ),
  },
  {
    name: 'a required reference is set after its row is inserted',
    tests: ['sync/src/helium/write-rows.test'],
    only: 'required references',
    changes: one('helium/write-steps.ts', 'isLate && !isRequired', 'isLate'),
  },
  {
    name: 'the cursor moves before the batch',
    tests: faults('processes/two-engines'),
    only: 'again and again',
    changes: one('engine/to-journey/sender/send-page.ts', '...(isDone && done)', '...(done && done)'),
  },
  {
    name: 'the op-log cursor is saved in a separate transaction, before the rows',
    tests: [
      'sync/src/engine/faults/processes/kill-loop',
      'sync/src/engine/faults/processes/kill-each-step',
      ...faults('helium/helium-database'),
    ],
    changes: [
      ...one(
        'engine/to-helium/writer/apply-page.ts',
        'import type { RunChange } from',
        'import { type RunChange, saveRun } from',
      ),
      ...one(
        'engine/to-helium/writer/apply-page.ts',
        'export function applyPage(context: SyncContext, page: EntryPage): Promise<ApplyResult> {',
        'export async function applyPage(context: SyncContext, page: EntryPage): Promise<ApplyResult> {\n  if (page.opLogCursor !== undefined) {\n    await saveRun(context.helium.pool, context.stateId, page);\n    await new Promise((resolve) => setTimeout(resolve, 30));\n    page = { ...page, readBehind: page.opLogCursor };\n  }',
      ),
    ],
  },
  {
    name: 'a row takes the time of each entry, also an earlier one',
    tests: ['sync/src/helium/timestamps'],
    changes: one('helium/run-step.ts', 'greatest(there', 'least(there'),
  },
  {
    name: 'an edit in Helium has the time of its row',
    tests: ['sync/src/record/later-wins'],
    only: 'later write',
    changes: one(
      'record/helium-times.ts',
      'return findTime(row.columns, column) ?? row.time;',
      'return rowTime ?? row.time;',
    ),
  },
  {
    name: 'a value of Journey is forgotten that a late write of ours may still replace',
    tests: ['sync/src/record/later-wins'],
    only: 'later write',
    changes: one('record/apply-entry.ts', 'isHeld || pending.length > 0', 'isHeld'),
  },
  {
    name: 'the time of our write is forgotten while a late one may still replace its value',
    tests: ['sync/src/record/later-wins'],
    only: 'later write',
    changes: one('record/helium-times.ts', 'if (columns.length === 0) return edits;', 'return edits;'),
  },
  {
    name: 'an edit of Journey that we replaced is lost when the op-log is left behind',
    tests: ['sync/src/engine/faults/restores/restored-side'],
    only: 'replaced unread',
    changes: one(
      'engine/restore/answer/restore.ts',
      "heads && question.side === 'helium' ? await findReplacedEdits(context) : []",
      '[]',
    ),
  },
  {
    name: 'such an edit is lost when the op-log has expired up to it',
    tests: ['sync/src/engine/faults/restores/restored-side'],
    only: 'replaced unread',
    changes: one('engine/restore/answer/replaced-edits.ts', 'page.historyLost && !isStart', 'false'),
  },
  {
    name: 'the edits in a merged row are not remembered',
    tests: ['sync/src/record/later-wins'],
    only: 'later write',
    changes: one(
      'record/helium-times.ts',
      'return { tstampMs: row.changedAtMs, edits };',
      'return { tstampMs: row.changedAtMs, edits: null };',
    ),
  },
  {
    name: 'a supposed deletion wins like any other',
    tests: ['sync/src/record/later-wins'],
    only: 'supposed',
    changes: one('record/merge.ts', 'edit.changedAtMs === null\n', 'edit.changedAtMs === 0\n'),
  },
  {
    name: 'an old deletion hides a listed object',
    tests: ['sync/src/record/later-wins'],
    only: 'listed object',
    changes: one('record/merge.ts', '!edit.isListed && ', ''),
  },
  {
    name: 'of the second of a listing, all entries count',
    tests: faults('journey/listings'),
    only: 'twice in one second',
    changes: one(
      'engine/to-helium/merger/new-entries.ts',
      'entries.slice(entries.findLastIndex(isAsListed) + 1)',
      '(void isAsListed, entries)',
    ),
  },
  {
    name: 'a deletion in Helium counts from when it is read',
    tests: ['sync/src/engine/to-helium/merger/edit-times.test'],
    changes: one(
      'engine/to-helium/merger/edit-times.ts',
      'deletionTimes.set(key, time ?? nowMs)',
      'deletionTimes.set(key, nowMs)',
    ),
  },
  {
    name: 'a conflict keeps only the mapped columns of a row',
    tests: faults('records/whole-conflicts'),
    only: 'not mapped',
    changes: one('engine/to-helium/merger/read-conflicts.ts', '...wholeRows.get(key.table)?.get(key.id), ', ''),
  },
  {
    name: 'dependents signal is not sent',
    tests: faults('records/references'),
    changes: one(
      'sync-state/held-records.store.ts',
      `set retry_at = now() where number in (
       select number from __portal_sync__.held where state_id = $1 and state = 'parked'`,
      `set retry_at = retry_at where number in (
       select number from __portal_sync__.held where state_id = $1 and state = 'parked'`,
    ),
  },
  {
    name: "a device's edit that restores what a write without an answer had is undone",
    tests: ['sync/src/record/two-stores'],
    only: 'has the last value of each field',
    changes: one('record/apply-entry.ts', 'return isOfDevice ?', 'return isOfDevice && row === null ?'),
  },
  {
    name: 'a restore to before an unanswered write is not noticed',
    tests: faults('restores/restored-helium'),
    only: 'sent without an answer',
    changes: one('engine/to-journey/sender/send-page.ts', '...(head && { sentPoint: head })', ''),
  },
  {
    name: 'a record that was created again waits for the op-log',
    tests: faults('journey/lagging-op-log'),
    only: 'created a record again',
    changes: one(
      'engine/to-helium/receipts/unconfirmed-writes.ts',
      'await settleFound(context, db, missing, objects)',
      'missing.length > 0',
    ),
  },
  {
    name: 'webhooks are relied on after a change without one',
    tests: ['sync/src/engine/run/pace/announced-changes'],
    changes: one(
      'engine/run/pace/announced-changes.ts',
      'if (this.#receivedMs > Number.NEGATIVE_INFINITY) this.#missedMs = this.#pendingMs;',
      '',
    ),
  },
  {
    name: 'an unsigned webhook wakes the run',
    tests: ['sync/src/api/webhooks.test'],
    changes: one('api/webhooks.ts', 'if (isSigned(body, signature, receiver.secrets)) return null;', 'return null;'),
  },
  {
    name: 'what exceeds the limit of a check is never checked',
    tests: faults('journey/lagging-op-log'),
    only: 'checks more',
    changes: one('engine/to-helium/receipts/unconfirmed-writes.ts', 'keys.length === maxRecords || ', ''),
  },
  {
    name: 'an unread edit counts as unlogged',
    tests: ['sync/src/engine/compare/compare-sides'],
    only: 'not read yet',
    changes: one('engine/missing/list-unlogged.ts', 'replaced.filter(({ key }) => !changed.has(key))', 'replaced'),
  },
  {
    name: 'a comparison replaces what changed behind the log',
    tests: ['sync/src/engine/compare/compare-sides'],
    only: 'behind|no log reports',
    changes: one('engine/missing/list-unlogged.ts', 'await saveConflicts(context, db, unlogged);', ''),
  },
  {
    name: 'a cleared change log proves nothing in Journey → Helium',
    tests: faults('restores/restored-helium'),
    only: 'cleared before the restore',
    changes: one(
      'engine/to-helium/reader/check-unread-logs.ts',
      'changeLogPoint: finding.point',
      'changeLogPoint: null',
    ),
  },
  {
    name: 'an echo releases a held record',
    tests: faults('records/poison'),
    only: 'echo of an engine write',
    changes: one('record/apply-entry.ts', 'if (held) {', 'if (held && !applyEcho(before.state, entry)) {'),
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
    tests: faults('missing/absent-records'),
    only: 'full read',
    changes: one(
      'engine/to-helium/reader/read-all-objects.ts',
      'includes(id) && !presentIds.has(id)',
      'includes(id) && presentIds.has(id)',
    ),
  },
  {
    name: 'absent records are deleted however many they are',
    tests: faults('missing/absent-records'),
    only: 'TRUNCATE',
    changes: one('engine/missing/absences.ts', "if ((isAboutAny || mode === 'ask') && ", "if (mode === 'delete' && "),
  },
  {
    name: 'an object is emptied unasked',
    tests: ['sync/src/record/deletion-brake'],
    changes: one('record/deletion-brake.ts', 'absent >= known || ', ''),
  },
  {
    name: 'objects are not listed again before they count as absent',
    tests: faults('missing/absent-records'),
    only: 'before they are counted',
    changes: one(
      'engine/missing/absences.ts',
      "if (side === 'journey' && map) await",
      "if (side === 'journey' && !map) await",
    ),
  },
  {
    name: 'a reference that a deletion cleared counts as an edit',
    tests: faults('missing/absent-records'),
    only: 'refer to each other',
    changes: one(
      'engine/to-helium/reader/decided-absences.ts',
      'await saveClearedReferences(db,',
      'await Promise.resolve([saveClearedReferences, db],',
    ),
  },
  {
    name: 'listings are never removed',
    tests: faults('records/edits-on-both-sides'),
    only: 'corrected',
    changes: one(
      'engine/to-helium/reader.ts',
      '  if (progress.hasListings) await removeListings(active);\n',
      '  void removeListings;\n',
    ),
  },
  {
    name: 'suspended tables are not read again',
    tests: faults('models/data-model'),
    only: 'resumes when it is saved',
    changes: one('mapping/accept-mapping.ts', ', ...(before.suspendedTables ?? [])]', ']'),
  },
  {
    name: 'all values of a field are cleared unasked',
    tests: ['sync/src/engine/compare/cleared-values'],
    only: '^asks when .?journey.? has lost .* answer .?keep',
    changes: one('engine/missing/clearings.ts', '!columns.some(', 'columns.some('),
  },
  {
    name: 'a full read clears values before they are decided about',
    tests: ['sync/src/engine/compare/cleared-values'],
    only: 'version 0 asks when .?journey.? has lost .* answer .?keep',
    changes: one(
      'engine/to-helium/reader/apply-listed.ts',
      'entries.filter(({ key }) => !waiting.has(keyText(key)))',
      'entries',
    ),
  },
  {
    name: 'a full read of Helium sends what rows have lost',
    tests: ['sync/src/engine/compare/cleared-values'],
    only: 'version 0 asks when .?helium.? has lost .* answer .?keep',
    changes: one('engine/to-journey/reader/read-all-rows.ts', 'ids.filter((id) => !lostIds.has(id))', 'ids'),
  },
  {
    name: 'a deployment between two reads of the model is not noticed',
    tests: faults('models/returned-columns'),
    only: 'between two reads of the model',
    changes: one(
      'engine/to-helium/reader/notice-deployment.ts',
      'if (cleared.length === 0) return false',
      'return false',
    ),
  },
  {
    name: 'values that an operator keeps are cleared',
    tests: ['sync/src/engine/compare/cleared-values'],
    only: '^asks when .?journey.? has lost .* answer .?keep',
    changes: one('engine/restore/answer/clearings.ts', "if (answer === 'keep') await", "if (answer === 'clear') await"),
  },
  {
    name: 'what is known of columns is never forgotten',
    tests: ['sync/src/engine/faults/models/columns.property'],
    only: 'keeps the values of',
    changes: one(
      'sync-state/unknown-columns.store.ts',
      'for (const { table, column, values = null } of unknown) {',
      'for (const { table, column, values = null } of unknown.slice(unknown.length)) {',
    ),
  },
  {
    name: 'values that a full read clears are not listed',
    tests: faults('models/returned-columns'),
    only: 'lost unseen',
    changes: one('engine/to-helium/reader/read-all-objects.ts', 'if (hasKnown) await', 'if (!hasKnown) await'),
  },
  {
    name: 'a column is recognized by its name alone',
    tests: faults('models/returned-columns'),
    only: 'between two checks',
    changes: [
      ...one(
        'mapping/compare-mappings.ts',
        'return isSameTable && was?.attribute !== is?.attribute;',
        'return isSameTable && is === undefined && was !== undefined;',
      ),
    ],
  },
  {
    name: 'a column that was added since is not noticed before a page is sent',
    tests: ['sync/src/engine/restore/notice/check-helium'],
    changes: one(
      'engine/restore/notice/check-helium.ts',
      'if (widened.length > 0) throw',
      'if (widened.length < 0) throw',
    ),
  },
  {
    name: 'a field that returned counts as never lost',
    tests: ['sync/src/mapping/accept-mapping'],
    changes: one('mapping/accept-mapping.ts', '{ ...field, isLost: true }', '{ ...field }'),
  },
  {
    name: 'what is known of a column that returned is not forgotten',
    tests: faults('models/returned-columns'),
    only: 'returns gets them back from Helium, with a save',
    changes: one('engine/run/open-run.ts', '  await forgetUnknown(context, unknown);\n  if', '  void unknown;\n  if'),
  },
  {
    name: 'a record with a deleted choice counts as cleared',
    tests: ['sync/src/mapping/accept-mapping'],
    changes: one('mapping/compare-mappings.ts', 'return values.length > 0 ? [', 'return values.length < 0 ? ['),
  },
  {
    name: 'a default that no one typed counts as an edit',
    tests: faults('models/returned-columns'),
    only: 'default that no one',
    changes: one('record/merge.ts', '(helium === before || isDefault)', '(helium === before)'),
  },
  {
    name: 'a row is sent before the value that Journey has in a new column was read',
    tests: ['sync/src/engine/to-journey/planner/merge-found'],
    changes: one(
      'engine/to-journey/planner/merge-found.ts',
      'return journey !== null && hasUnreadColumn',
      'return journey === undefined && hasUnreadColumn',
    ),
  },
  {
    name: 'a new column is treated as a cleared one',
    tests: faults('models/data-model'),
    only: 'added on both sides',
    changes: one('record/merge.ts', 'const before = getValue(base, column)', 'const before = base[column]'),
  },
  {
    name: 'a parked record is retried although its table is suspended',
    tests: faults('models/data-model'),
    only: 'parked',
    changes: one('sync-state/held-records.store.ts', ' and table_name = any($4)', ' and $4::text[] is not null'),
  },
  {
    name: 'what was known before a restore is kept',
    tests: ['sync/src/engine/faults/restores/restored-side'],
    only: 'keeps every record on both sides',
    changes: one(
      'engine/restore/answer/restore.ts',
      '    await forgetTables(db, context.stateId, tables);\n',
      '    void forgetTables;\n',
    ),
  },
  {
    name: 'the other side is not recorded as known before it is made equal',
    tests: ['sync/src/engine/faults/restores/restored-side'],
    only: 'both ways does what was predicted',
    changes: one('engine/restore/answer/restore.ts', 'select(() => true, { isAdoption: true })', 'null'),
  },
  {
    name: 'a deletion that no echo confirms is not remembered',
    tests: ['sync/src/engine/faults/restores/restored-side'],
    only: 'coming back, also',
    changes: one('engine/to-journey/receipts.ts', '...deleted.get(key), key', '...(deleted && known), key'),
  },
  {
    name: 'a smaller version repeats what the log holds',
    tests: faults('models/earlier-version'),
    only: 'keeps the cursor and its entry',
    changes: one('sync-state/operations.store.ts', ' = greatest(', ' = least('),
  },
  {
    name: 'version 0 deletes what one side lacks',
    tests: faults('models/earlier-version'),
    only: 'deletes nothing that one side lacks',
    changes: one('engine/run/plan-full-read.ts', ", absent: 'keep' }", ' }'),
  },
  {
    name: 'what has not come back after some polls counts as proven',
    tests: ['sync/src/record/two-stores'],
    only: 'however long',
    changes: one('record/unconfirmed-writes.ts', 'unconfirmed.every(isBeforeOpLog)', 'unconfirmed.length > 0'),
  },
  {
    name: 'an entry is proof for calls that were answered after it',
    tests: ['sync/src/engine/state/echoes'],
    changes: one('engine/state/echoes.ts', 'if (atMs + clockToleranceMs >= entryAtMs) break;', 'if (atMs < 0) break;'),
  },
  {
    name: 'a missing record is created again before the op-log explains it',
    tests: faults('journey/lagging-op-log'),
    only: 'missing',
    changes: one(
      'engine/to-helium/receipts/unconfirmed-writes.ts',
      'if (echoes.isPastMissing) await',
      'if (echoes) await',
    ),
  },
  {
    name: 'a batch is sent again before the op-log is read',
    tests: ['sync/src/record/two-stores'],
    changes: one('engine/state/echoes.ts', '    this.#mustReadFirst = true;', '    void this.#mustReadFirst;'),
  },
  {
    name: 'what is left of the op-log behind a gap is skipped',
    tests: faults('journey/expired-logs'),
    only: 'keeps both values',
    changes: one('engine/to-helium/reader/op-log-gap.ts', ', oldest && toPointBefore(oldest)', ''),
  },
  {
    name: 'an op-log that a restore emptied counts as expired',
    tests: faults('journey/expired-logs'),
    only: 'last seen recently',
    changes: one('engine/to-helium/reader/op-log-gap.ts', 'await checkEmptied(context, point);', ''),
  },
  {
    name: 'an op-log that a restore emptied counts as expired when the number of objects is the same',
    tests: faults('journey/expired-logs'),
    only: 'last seen recently, and takes back an edit',
    changes: one('engine/restore/notice/check-journey.ts', 'updatedAtMs < point.updatedAtMs', 'updatedAtMs < 0'),
  },
  {
    name: 'an edit whose entry expired is overlooked when it is of the last object that was read',
    tests: faults('journey/expired-logs'),
    only: 'reads the edit of the last object',
    changes: one('engine/to-helium/reader/op-log-gap.ts', 'expired?.isUnchanged', 'expired'),
  },
  {
    name: 'few records that are gone with the whole op-log are deleted unasked',
    tests: faults('journey/expired-logs'),
    only: 'last seen long ago',
    changes: one('engine/run/plan-full-read.ts', "{ ...again, absent: 'ask about any' }", 'again'),
  },
  {
    name: 'a run sends before it has read the op-log of a state that may be restored',
    tests: faults('restores/restored-state'),
    only: 'stopped integration is restored',
    changes: one('engine/run/open-run.ts', 'mustReadFirst: config.enableJourneyToHelium,', 'mustReadFirst: false,'),
  },
  {
    // Each page is verified before: this covers what is restored after that.
    name: 'a state that went back since a page was verified is not noticed',
    tests: ['sync/src/engine/state/revision'],
    changes: one('engine/state/revision.ts', 'if (revision <= this.#last)', 'if (revision < 0)'),
  },
  {
    name: 'a state that went back under a running engine is not noticed',
    tests: faults('restores/restored-state'),
    only: 'restored',
    // Each of the three is enough.
    changes: [
      ...one('engine/state/revision.ts', 'if (revision <= this.#last)', 'if (revision < 0)'),
      ...one('engine/state/revision.ts', 'if (revision < last)', 'if (revision < 0)'),
      ...one(
        'engine/restore/notice/check-helium.ts',
        'if (identity && identity.state !== identityNow.state) throw new StateRestored();',
        '',
      ),
    ],
  },
  {
    name: 'an unknown record counts as absent in Journey',
    tests: ['sync/src/engine/to-journey/planner/unknown-records'],
    changes: one(
      'engine/to-journey/planner/merge-found.ts',
      'if (!known && completeTables.includes(key.table)) return absent;',
      'void completeTables;\n  if (!known) return absent;',
    ),
  },
  {
    name: 'an unknown table counts as complete while its changes are not read',
    tests: ['sync/src/engine/to-journey/planner/unknown-records'],
    only: 'is incomplete',
    changes: one('sync-state/runs.store.ts', 'where t = any($5::text[]))', 'where $5::text[] is not null)'),
  },
  {
    name: 'what Helium has no value for is cleared in Journey',
    tests: ['sync/src/engine/to-journey/planner/unknown-records'],
    only: 'only Journey has',
    changes: one(
      'record/unknown-record.ts',
      'const other = value === null ? null : getValue(journey, column);',
      'const other = getValue(journey, column);',
    ),
  },
  {
    name: 'a deletion of which nothing is known is not carried',
    tests: ['sync/src/engine/to-journey/planner/unknown-records'],
    only: 'Helium deleted',
    changes: one(
      'engine/to-journey/planner/merge-found.ts',
      "if (deletion?.winner !== 'helium') return absent;",
      'if (deletion !== undefined) return absent;',
    ),
  },
  {
    name: 'an op-log that lacks only an entry in the middle counts as expired',
    tests: faults('restores/restored-journey'),
    only: 'skip the cursor',
    changes: one(
      'engine/restore/notice/check-journey.ts',
      'BigInt(oldest.sequence) < BigInt(point.sequence)',
      'BigInt(oldest.sequence) < 0n',
    ),
  },
  {
    name: 'a page of the op-log waits unseen until it is applied',
    tests: faults('files/photos'),
    only: 'since when an entry',
    changes: one('engine/to-helium/reader.ts', 'if (oldest) run', 'if (oldest && page.isLast && cursor === "") run'),
  },
  {
    name: 'a disabled integration with changes that wait is idle',
    tests: ['contract/src/sync/health'],
    changes: [
      {
        file: 'contract/src/sync/integration.ts',
        from: 'isStuck(facts) || isHeldUp(facts) || hasBacklog(facts) ?',
        to: 'isStuck(facts) || isHeldUp(facts) ?',
      },
    ],
  },
  {
    name: 'a second answer replaces the first',
    tests: ['sync/src/sync-state/questions.store', 'sync/src/create-engine'],
    changes: one('sync-state/questions.store.ts', ' and answer is null and ', ' and '),
  },
  {
    name: 'an integration is enabled while its question is open',
    tests: ['sync/src/api/answer-recovery'],
    only: 'does not enable',
    changes: one(
      'api/require-runnable.ts',
      'await operations.readQuestion(integration)) !== null',
      'await operations.readQuestion(integration)) === undefined',
    ),
  },
  {
    name: 'values that a comparison finds cleared are repaired unasked',
    tests: ['sync/src/engine/compare/cleared-values'],
    only: '^asks when .?journey.? has lost .* answer .?keep',
    changes: one(
      'engine/compare/repair-differences.ts',
      'absentIn === null && cleared.length === 0',
      'absentIn === null && cleared.length >= 0',
    ),
  },
  {
    name: 'few values that a full read clears are not listed',
    tests: ['sync/src/engine/compare/cleared-values'],
    only: 'clears few values that .?journey',
    changes: one('engine/to-helium/reader/apply-listed.ts', 'await findCleared(context, db, entries)', '[]'),
  },
  {
    name: 'what users of the app have cleared counts as lost',
    tests: ['sync/src/engine/compare/cleared-values'],
    only: 'sends what users of the app have cleared',
    changes: one('engine/missing/cleared-in-helium.ts', ' && !edited.has({ table, id })', ' && edited.size >= 0'),
  },
  {
    name: 'what a batch has sent of a dropped column counts as known of the new one',
    tests: faults('models/one-way-columns'),
    only: 'while a batch is under way',
    changes: one(
      'engine/to-journey/sender/send-page.ts',
      'mapping === context.mapping ? []',
      'mapping !== undefined ? []',
    ),
  },
  {
    name: 'a default that no one typed is sent where Journey has a value',
    tests: faults('models/one-way-columns'),
    only: 'leaves what Journey has where only Helium is read',
    changes: one(
      'engine/to-journey/planner/plan-record.ts',
      'untouched: untouched.get(key) ?? none',
      'untouched: untouched.size < 0 ? [] : none',
    ),
  },
  {
    name: 'each record is a dead letter where a trigger refuses every row',
    tests: faults('records/refused-rows'),
    only: 'refuses every row of it',
    changes: one('engine/state/refused-writes.ts', 'known + records >= maxRefusedInRow', 'known + records < 0'),
  },
  {
    name: 'a code of a failure that ends is a verdict on the row',
    tests: faults('records/refused-rows'),
    only: 'under whatever code',
    changes: one(
      'helium/content-refusal.ts',
      'return isTemporary(error) || isContention(error) ? {',
      'return (isTemporary(error) || isContention(error)) && refusal.kind === "" ? {',
    ),
  },
  {
    name: 'an unknown operation counts as a change',
    tests: faults('journey/unreadable-entries'),
    changes: one('journey/unreadable-entries.ts', '...(reason !== undefined && { problem: reason })', ''),
  },
  {
    name: 'a call to Journey without an answer is shown as Live',
    tests: faults('journey/half-open'),
    only: 'Journey',
    changes: one('engine/run/open-context.ts', 'run.publish({ unansweredSinceMs })', 'void unansweredSinceMs'),
  },
  {
    name: 'dead connections to the portal database stay open',
    tests: ['kit/src/postgres/database-silence'],
    changes: [
      {
        file: 'kit/src/postgres/database-silence.ts',
        from: 'setTimeout(this.#onDead, this.#limits.deadMs)',
        to: 'setTimeout(() => undefined, this.#limits.deadMs)',
      },
    ],
  },
  {
    name: 'rows that policies hide count as deleted',
    tests: faults('missing/hidden-rows'),
    only: 'hidden row changes',
    changes: [
      { file: 'sync/src/helium/require-visible.ts', from: 'if (rows[0]?.isHiding)', to: 'if (!rows[0])' },
      {
        file: 'sync/src/helium/read-catalog.ts',
        from: 'hidesRows: hiding.includes(table.name)',
        to: 'hidesRows: false',
      },
    ],
  },
  {
    name: 'version 0 of Journey does not bring back what Helium has lost',
    tests: faults('models/earlier-version'),
    only: 'fills what Helium',
    changes: one('engine/to-helium/reader/read-all-objects.ts', "snapshot.absent === 'keep'", 'snapshot === null'),
  },
  {
    name: 'a deletion that deletes nothing counts as made',
    tests: faults('records/swallowed-writes'),
    only: 'keeps it silently',
    changes: one(
      'helium/explain-unwritten.ts',
      "if (kind === 'delete' && !exists) continue;",
      "if (kind === 'delete') continue;",
    ),
  },
  {
    name: 'a swallowed insert waits for a row that is not there',
    tests: faults('records/swallowed-writes'),
    only: 'does not insert',
    changes: one('helium/explain-unwritten.ts', "exists !== (kind === 'insert')", 'exists'),
  },
  {
    name: 'disabled tracking is not noticed while it runs',
    tests: faults('helium/disabled-tracking'),
    changes: one('mapping/pair-models.ts', '      hasDisabledTracking === true,\n', ''),
  },
  {
    name: 'an integration that cannot run is enabled',
    tests: ['sync/src/api/enable-integrations'],
    changes: one('api/require-runnable.ts', 'if (problems.length > 0) throw', 'if (problems.length > 99) throw'),
  },
  {
    name: 'an answer enables an integration that cannot run',
    tests: ['sync/src/api/answer-recovery'],
    only: 'cannot run by an answer',
    changes: one(
      'api/answer-recovery.ts',
      'await requireRunnable(parts, caller, integration',
      'void (parts, caller, integration',
    ),
  },
  {
    name: 'a moved cursor enables an integration that cannot run',
    tests: ['sync/src/api/enable-integrations'],
    changes: one('api/integrations.routes.ts', "if (integration.status === 'Halted')", "if (integration.appId === '')"),
  },
  {
    name: 'a connection that has died is never closed',
    tests: ['kit/src/postgres/dead-connections'],
    changes: [
      { file: 'kit/src/postgres/dead-connections.ts', from: 'watched.denials >= 2', to: 'watched.denials >= 2e9' },
    ],
  },
  {
    name: 'a connection with a slow statement counts as dead',
    tests: ['kit/src/postgres/dead-connections'],
    only: 'leaves a statement alone',
    changes: [{ file: 'kit/src/postgres/dead-connections.ts', from: 'busy.has(process) ? 0', to: 'process === 0 ? 0' }],
  },
  {
    name: 'a row that a trigger keeps is a dead letter',
    tests: ['sync/src/engine/faults/records/swallowed-writes'],
    changes: one('engine/to-helium/receipts.ts', "kind === keptRowKind ? 'skipped'", "kind === '' ? 'skipped'"),
  },
  {
    name: 'an integration with a paused object is fresh',
    tests: ['contract/src/sync/health'],
    changes: [
      {
        file: 'contract/src/sync/integration.ts',
        from: ' + pausedObjects.count > 0',
        to: ' + 0 * pausedObjects.count > 0',
      },
    ],
  },
  {
    name: 'a shared deployment is not named',
    tests: ['sync/src/api/shared-platforms'],
    changes: one('api/note-shared-platforms.ts', '...(test.journey.reached', '...(test.journey === null'),
  },
  {
    name: 'an integration without objects is Live',
    tests: faults('models/nothing-paired'),
    changes: one('engine/run/report/describe-rest.ts', 'mapping.objects.length > 0', 'mapping.objects.length >= 0'),
  },
  {
    name: 'an answer that deletes records needs no confirmation',
    tests: ['sync/src/api/answer-recovery'],
    changes: one('api/answer-recovery.ts', 'confirmation !== deleteConfirmation', '!confirmation'),
  },
  {
    name: 'a withdrawn lock is not executed',
    tests: ['sync/src/enrollment/locked-users'],
    changes: one('enrollment/lock-requests.ts', "  if (stage === 'requested') return 'lock';\n", ''),
  },
  {
    name: 'a list of users that is cut counts as whole',
    tests: ['sync/src/enrollment/whole-lists'],
    changes: one('enrollment/read-whole-list.ts', 'entries.size !== total)', 'entries.size > total)'),
  },
  {
    name: 'a consent to a removal allows any number',
    tests: ['sync/src/enrollment/whole-lists'],
    changes: one('enrollment/removal-brake.ts', 'absent <= (rows[0]?.consented ?? 0)', '(rows[0]?.consented ?? 0) > 0'),
  },
  {
    name: 'a user whom Journey does not list has access',
    tests: ['sync/src/enrollment/whole-lists'],
    changes: one('enrollment/user-mode.ts', 'listed?.locked === false', 'listed?.locked !== true'),
  },
  {
    name: 'a user whom Journey no longer lists keeps access',
    tests: ['sync/src/enrollment/removed-users'],
    changes: one('enrollment/removed-users.ts', 'set is_removed = true', 'set is_removed = false'),
  },
  {
    name: 'a call to sign a person out is repeated after a lost response',
    tests: ['sync/src/enrollment/lost-responses'],
    changes: one(
      'enrollment/run-requests.ts',
      'if (attempt.before !== null && hasTakenEffect(attempt.before, before)) return toResult();',
      '',
    ),
  },
  {
    name: 'a lost response to an upload creates a deleted record again',
    tests: faults('files/lost-files'),
    changes: one('engine/to-helium/merger.ts', '(row === null ? expectedFields(state) : null)', 'null'),
  },
  {
    name: 'the address of a user stays the former one after a request',
    tests: ['sync/src/enrollment/user-mode'],
    changes: one('enrollment/run-user-mode.ts', 'if (user !== null) updated.set(id, user);', ''),
  },
  {
    name: 'a row of a user that is locked waits for the next round',
    tests: ['sync/src/enrollment/user-mode'],
    changes: one('enrollment/run-user-mode.ts', 'rows += await writeOneByOne(round, target, skipped);', ''),
  },
  {
    name: "one user's failing request ends all requests",
    tests: ['sync/src/enrollment/single-failures'],
    changes: one(
      'enrollment/run-requests.ts',
      'else if (pending.isStreak(name, error.failure.kind)) throw error;',
      'else throw error;',
    ),
  },
  {
    name: 'an error of enrollment ends the run',
    tests: faults('enrollment/enrollment-failures'),
    changes: one(
      'engine/run/enrollment-loop.ts',
      'if (problem instanceof LeaseLostError ||',
      'if (!(problem instanceof Problem) ||',
    ),
  },
  {
    name: 'a request of a transaction that commits late is missed',
    tests: ['sync/src/helium/table-changes'],
    changes: one(
      'helium/table-changes.ts',
      'last?.writers.some((writer) => !now.writers.includes(writer)) ?? true',
      'last === null',
    ),
  },
  {
    name: 'requests wait for the enrollment interval',
    tests: faults('enrollment/enrollment-requests'),
    only: 're-enrolls a user',
    changes: one('engine/run/start-run.ts', 'requests.wake();', ''),
  },
  {
    name: 'a temporary error of Journey is a verdict on the record',
    tests: ['sync/src/journey/send-writes'],
    changes: one('journey/write-outcome.ts', 'verdicts.has(error.type) ?', 'verdicts.size > 0 ?'),
  },
  {
    name: 'a write that Journey did not decide about counts as not applied',
    tests: faults('journey/temporary-errors'),
    only: 'recognizes the echo',
    changes: one(
      'engine/to-journey/receipts.ts',
      "const isUndecided = ({ key }: PlannedWrite) => outcomes.get(key)?.status === 'undecided';",
      'const isUndecided = ({ key }: PlannedWrite) => outcomes.get(key)?.status === undefined;',
    ),
  },
  {
    name: 'a waiting record is not retried automatically',
    tests: faults('journey/temporary-errors'),
    only: 'refused to delete',
    changes: one('engine/to-journey/loop.ts', 'if (waiting.length > 0) {', 'if (waiting.length > 1_000_000) {'),
  },
  {
    name: 'a requested pause stops the whole host',
    tests: ['platforms/src/journey/journey-rate-limiter'],
    changes: [
      {
        file: 'platforms/src/journey/journey-rate-limiter.ts',
        from: 'getOrCreate(host.deployments, new URL(baseUrl).href, () => ({',
        to: 'getOrCreate(host.deployments, new URL(baseUrl).host, () => ({',
      },
    ],
  },
  {
    name: '"Try now" leaves the requested pause',
    tests: faults('journey/temporary-errors'),
    only: 'Try now',
    changes: one('engine/run/start-run.ts', 'rateLimiter.tryNow(baseUrl);', 'void baseUrl;'),
  },
  {
    name: 'a frozen predecessor keeps its transaction',
    tests: ['sync/src/sync-state/runs.store'],
    only: 'ends the open transactions',
    changes: one('sync-state/runs.store.ts', 'select pg_terminate_backend(a.pid)', 'select a.pid'),
  },
  {
    name: 'a frozen engine keeps rows of the app locked',
    tests: ['sync/src/engine/faults/processes/kill-each-step'],
    only: 'frozen after it has written',
    changes: one('sync-state/helium-databases.ts', 'idleInTransactionMs: this.#idleInTransactionMs,', ''),
  },
  {
    name: 'rows that exchange the values of a unique key are rejected',
    tests: ['sync/src/helium/write-in-order'],
    changes: one('helium/write-in-order.ts', 'await writeRings(round, table, left)', 'false'),
  },
  {
    name: 'rows that move along a unique key are written in the order in which they arrive',
    tests: ['sync/src/helium/write-in-order'],
    only: 'many rows',
    changes: one('helium/write-in-order.ts', 'rows.sort(', 'rows.slice().sort('),
  },
  {
    name: 'a null counts as free under a key that compares nulls',
    tests: ['sync/src/helium/write-in-order'],
    only: 'keys that compare nulls',
    changes: one('helium/unique-keys.ts', '${comparesNulls ? ', '${comparesNulls < comparesNulls ? '),
  },
  {
    name: 'exclusion constraints do not count as unique keys',
    tests: ['sync/src/helium/write-in-order'],
    only: 'an exclusion constraint',
    changes: one('helium/unique-keys.ts', ' or i.indisexclusion)', ')'),
  },
  {
    name: 'rows whose values may get free in the next page are tried, and rejected',
    tests: faults('records/swapped-values'),
    only: 'moves each record of a list',
    changes: one('engine/to-helium/writer/apply-page.ts', 'leavesBlocked: isListing ||', 'leavesBlocked: isListing &&'),
  },
  {
    name: 'a ring of more rows than a page is written in one transaction',
    tests: faults('records/swapped-values'),
    only: 'moves the last record',
    changes: one('engine/to-helium/reader/blocked-records.ts', 'slice.length > 0 &&', 'slice.length < 0 &&'),
  },
  {
    name: 'a value that a row has for now counts as an edit of the app',
    tests: faults('records/swapped-values'),
    only: 'moves the last record',
    changes: one('engine/to-helium/writer.ts', '{ ...one.base, ...step.values }', '(void step.values, one.base)'),
  },
  {
    name: 'records that wait for a value do not learn that it has moved',
    tests: ['sync/src/sync-state/blocked-records.store'],
    changes: one(
      'sync-state/blocked-records.store.ts',
      'array_replace(h.missing, $2, $3)',
      'array_cat(h.missing, array[$3])',
    ),
  },
  {
    name: 'what happened to a record in the other direction does not keep the order of its trail',
    tests: ['sync/src/sync-state/trail.store'],
    only: 'keep the order',
    changes: one('sync-state/trail.store.ts', 'where n.total >= r.total', 'where n.total < 0'),
  },
  {
    name: 'files do not count as cleared by a full read',
    tests: ['sync/src/engine/compare/cleared-files'],
    changes: one(
      'engine/missing/cleared-in-journey.ts',
      '.filter(({ column }) => getValue(',
      ".filter(({ column, kind }) => kind !== 'blob' && getValue(",
    ),
  },
  {
    name: 'all rows that wait for a value are tried in one transaction',
    tests: ['sync/src/helium/write-in-order'],
    only: 'fifty of them',
    changes: one('helium/write-rows.ts', 'const maxTriedRows = 50;', 'const maxTriedRows = 500;'),
  },
  {
    name: 'TRUNCATE is not noticed',
    tests: faults('missing/missing-rows'),
    only: 'TRUNCATE removed',
    changes: one('engine/restore/notice/check-helium.ts', '&& known[table] !== file', '&& known[table] === undefined'),
  },
  {
    name: 'a skipped record stays as it is even if Helium changes it',
    tests: faults('records/skipped-records'),
    only: 'the record stays skipped',
    changes: one(
      'engine/to-journey/planner/plan-record.ts',
      "if (state !== 'skipped') return",
      'if (state !== null) return',
    ),
  },
  {
    name: 'what every object inherits counts as a value',
    tests: ['sync/src/record/fields'],
    changes: one(
      'record/fields.ts',
      "typeof value === 'object' || typeof value === 'function' ? null : (value ?? null)",
      'value ?? null',
    ),
  },
  {
    name: 'a waiting file of Journey is overwritten by Helium',
    tests: faults('files/files'),
    only: 'keeps a photo of Helium back',
    changes: one('engine/files/book/protected.ts', '} else delete fields[column];', '}'),
  },
  {
    name: 'a downloaded file is not remembered',
    tests: faults('files/files'),
    only: 'copies a file that Helium has',
    changes: one('engine/files/loop/apply-file.ts', 'await saveAttachments(', 'void (() => saveAttachments)('),
  },
  {
    name: 'an announced file is asked for only once',
    tests: ['sync/src/record/waiting-file'],
    changes: one(
      'record/waiting-file.ts',
      'return { ...file, attempts, retryAtMs: nowMs + getDelayMs(backoff, doubled), reason };',
      'return { ...file, attempts, retryAtMs: null, reason };',
    ),
  },
  {
    name: 'a skipped file still holds what Helium changes back',
    tests: faults('files/files'),
    only: 'calls missing',
    changes: one('engine/files/book/protected.ts', '.filter(([, file]) => !isSkipped(file))', ''),
  },
  {
    name: 'a failed download pauses the whole host',
    tests: ['platforms/src/journey/journey-rate-limiter'],
    only: 'download of a file',
    changes: [
      {
        file: 'platforms/src/journey/journey-rate-limiter.ts',
        from: 'isFile ? aboutFile : error',
        to: 'error',
      },
    ],
  },
  {
    name: 'an upload that is always cut off blocks its direction',
    tests: ['sync/src/engine/to-journey/sender/failed-calls'],
    changes: one(
      'engine/to-journey/sender/failed-calls.ts',
      'suspicion.failures >= maxFailures)',
      'suspicion.failures < 0)',
    ),
  },
  {
    name: 'uploads are set aside while Journey answers nothing',
    tests: faults('files/cut-uploads'),
    only: 'nor small calls',
    changes: one(
      'engine/to-journey/sender.ts',
      '!(await journey.isAnsweringWrites(signal))',
      '!journey.isAnsweringWrites',
    ),
  },
  {
    name: 'records are held while every write is answered by something else',
    tests: faults('journey/refused-texts'),
    only: 'holds no record',
    changes: one(
      'engine/to-journey/sender.ts',
      '!(await journey.isAnsweringWrites(signal))',
      '!journey.isAnsweringWrites',
    ),
  },
  {
    name: 'the call of a refused text is not searched for its record',
    tests: faults('journey/refused-texts'),
    only: 'status 403, with what answered',
    changes: one('engine/state/call-failures.ts', 'Math.ceil(keys.length / 2)', 'keys.length'),
  },
  {
    name: 'a record is held again that was skipped during its call',
    tests: faults('journey/refused-texts'),
    only: 'while its call is on its way',
    changes: one('engine/to-journey/receipts.ts', "skipped.has(key) && held?.state !== 'skipped'", 'false'),
  },
  {
    name: 'dead connections to Helium stay open',
    tests: faults('journey/half-open'),
    changes: one('sync-state/helium-databases.ts', '() => connections.close()', '() => undefined'),
  },
  {
    name: 'a silent database is shown as Live',
    tests: faults('journey/half-open'),
    changes: one(
      'engine/run/start-run.ts',
      'database.silence.listen((heliumUnansweredSinceMs) => publish({ heliumUnansweredSinceMs })),',
      '',
    ),
  },
  {
    name: 'calls whose connections died wait for their time-out',
    tests: ['platforms/src/journey/silent-calls'],
    only: 'long before its time-out',
    changes: [
      {
        file: 'platforms/src/journey/silent-calls.ts',
        from: 'call.startedMs < silentUntilMs + timing.suspectMs',
        to: 'false',
      },
    ],
  },
  {
    name: 'slow calls are taken for lost ones',
    tests: ['platforms/src/journey/silent-calls'],
    only: 'leaves a slow call alone',
    changes: [
      {
        file: 'platforms/src/journey/silent-calls.ts',
        from: 'call.startedMs < silentUntilMs + timing.suspectMs',
        to: 'true',
      },
    ],
  },
  {
    name: 'a listening connection that has died is kept',
    tests: ['sync/src/portal-store/notifications'],
    only: 'swallows all bytes',
    changes: [
      {
        file: 'kit/src/postgres/notifications.ts',
        from: 'else if (this.#heardOn === client) closeAtOnce(client);',
        to: '',
      },
    ],
  },
  {
    name: 'any 401 or 403 counts as refused credentials',
    tests: ['platforms/src/journey/faults'],
    changes: [
      {
        file: 'platforms/src/journey/status-problem.ts',
        from: 'error ? status === 401 || status === 403 : isAccessDenied(response)',
        to: 'status === 401 || status === 403 || isAccessDenied(response)',
      },
    ],
  },
  {
    name: 'the list of users is read before the locks that wait',
    tests: faults('enrollment/enrollment-requests'),
    only: 'before it reads the first list',
    changes: one('engine/run/enrollment-loop.ts', 'if (isFromHelium) await this.#firstCheck;', 'void isFromHelium;'),
  },
  {
    name: 'our own write counts as an edit of a held record',
    tests: ['sync/src/engine/to-helium/merger'],
    changes: one('engine/to-helium/merger.ts', 'if (own) merged.base = applyWrite(merged.base, own);', ''),
  },
  {
    name: 'anything that is sent in place of a file is stored',
    tests: ['platforms/src/journey/attachment'],
    changes: [
      {
        file: 'platforms/src/journey/attachment.ts',
        from: 'if (problem !== undefined) throw createFileProblem',
        to: "if (problem === 'never') throw createFileProblem",
      },
    ],
  },
  {
    name: 'credentials follow the redirects of a file',
    tests: ['platforms/src/journey/redirects.property'],
    changes: [
      {
        file: 'platforms/src/journey/attachment.ts',
        from: '...(isTrusted && { authorization: address.authorization }),',
        to: 'authorization: address.authorization,',
      },
    ],
  },
  {
    name: 'a listed name leads to internal addresses',
    tests: ['platforms/src/journey/file-hosts'],
    changes: [
      { file: 'platforms/src/journey/file-hosts.ts', from: '!isInternal(address) ||', to: 'isInternal("::1") ||' },
    ],
  },
  {
    name: 'a comparison trusts the known hash of a wrongly stored file',
    tests: faults('files/wrong-files'),
    only: 'a comparison downloads',
    changes: one(
      'engine/compare/refresh-unfitting-files.ts',
      'stateId,\n    wrong.map(({ hash }) => hash),',
      'stateId,\n    [],',
    ),
  },
  {
    name: 'a file that was cut off is taken for whole',
    tests: faults('files/wrong-files'),
    only: 'a comparison downloads',
    changes: one(
      'engine/compare/refresh-unfitting-files.ts',
      'isUnfitting || endsWithMark(parts) === false ?',
      'isUnfitting ?',
    ),
  },
  {
    name: 'a file is compared by its content only',
    tests: ['sync/src/mapping/file-values.property'],
    changes: one('mapping/file-values.ts', 'if (!isNamed) return hash;', 'if (!isNamed || fileName) return hash;'),
  },
  {
    name: 'a file is sent again because Helium lacks its name',
    tests: faults('files/file-names'),
    only: 'keeps a name when the other side has none',
    changes: one(
      'engine/to-journey/planner/plan-record.ts',
      'adoptFiles(columns, row, [expectedFields(known)])',
      'row',
    ),
  },
  {
    name: 'a file of Helium that loses a conflict is not kept',
    tests: faults('files/lost-files'),
    only: 'where journey wins',
    changes: one('engine/files/book/kept.ts', 'if (columns !== undefined)', 'if (columns === null)'),
  },
  {
    name: 'bytes that both sides have are kept with a conflict of their names',
    tests: faults('files/file-names'),
    only: 'two names for the same bytes',
    changes: one(
      'engine/files/book/kept.ts',
      'if (isSameContent(conflict.helium, conflict.journey)) return [];',
      'void isSameContent;',
    ),
  },
  {
    name: 'files of conflicts take more room than there is',
    tests: ['sync/src/sync-state/conflict-files'],
    changes: one('sync-state/conflict-files.store.ts', 'where state_id = $1 for no key update', 'where state_id = $1'),
  },
  {
    name: 'a file is kept although it was not overwritten',
    tests: faults('files/lost-files'),
    only: 'while Helium rejects the winner',
    changes: one(
      'engine/files/loop/apply-file.ts',
      'if (!isWritten) await dropLosers',
      'if (!losers) await dropLosers',
    ),
  },
  {
    name: 'an object is deleted before its file is kept',
    tests: faults('files/lost-files'),
    only: 'deletes an object to which a device added',
    changes: one('engine/files/book/protected.ts', "write?.method === 'delete' && files.size > 0", 'files.size < 0'),
  },
  {
    name: 'a restored file destroys the one that it replaces',
    tests: faults('files/lost-files'),
    only: 'restores a kept photo',
    changes: one('operations/restore-file.ts', 'await linkFiles(db, replaced.numbers, file.conflict);', ''),
  },
  {
    name: 'a record waits for its files',
    tests: faults('files/files'),
    only: 'a file that answers 404',
    changes: one('engine/files/book/waiting.ts', 'isRequired && files.has(column) &&', 'files.has(column) &&'),
  },
  {
    name: 'one file is downloaded at a time',
    tests: faults('files/parallel-downloads'),
    changes: one('engine/files/loop.ts', '>= timing.files.parallelDownloads', '>= 1'),
  },
  {
    name: 'a row is inserted without the files that it requires',
    tests: faults('files/required-files'),
    changes: one('engine/files/book/waiting.ts', 'isRequired && files.has(column) &&', '!files &&'),
  },
  {
    name: 'a downloaded file that cannot be written yet is downloaded again',
    tests: faults('files/required-files'),
    only: 'each downloaded once',
    changes: one('engine/files/loop/apply-file.ts', 'await saveFileBytes(db,', 'void (() => saveFileBytes)(db,'),
  },
  {
    name: 'a downloaded file is downloaded again when its transaction met a lock',
    tests: faults('files/parallel-downloads'),
    only: 'downloads a file once',
    changes: one('engine/files/loop.ts', 'attempt === maxWrites', 'attempt === 1'),
  },
  {
    name: 'an enrollment request holds a slot while Journey is called',
    tests: ['sync/src/enrollment/single-failures'],
    only: 'never holds a slot',
    changes: one(
      'enrollment/run-requests.ts',
      'const execute = () => executeOnce(kind, { id, ...request }, save);',
      'const { withSlot = (run) => run() } = round;\n  const execute = () => withSlot(() => executeOnce(kind, { id, ...request }, save));',
    ),
  },
  {
    name: 'a user who is locked again after a lost unlock stays unlocked',
    tests: ['sync/src/enrollment/lost-responses', 'sync/src/enrollment/lock-requests'],
    changes: one(
      'enrollment/apply-lock-requests.ts',
      "if (state?.stage === 'locked') await saveStage(id, 'unlocking');",
      '',
    ),
  },
  {
    name: 'a file that Journey cleared while its record was held stays',
    tests: ['sync/src/engine/faults/files/held-photos'],
    only: 'cleared in Journey',
    changes: one(
      'engine/to-helium/reader/retry-due-records.ts',
      'const rest = Object.assign(createFields(), fields);',
      'const rest = Object.fromEntries(Object.entries(Object.assign(createFields(), fields)).filter(([, value]) => value !== null));',
    ),
  },
  {
    name: 'a file that a lost call replaced is in no conflict',
    tests: ['sync/src/record/two-stores-files'],
    changes: one('engine/files/book/tracked.ts', 'if (waiting && own !== null && ', 'if (waiting && own === "" && '),
  },
  {
    name: 'an op-log that expired while it was not read halts the integration',
    tests: [...faults('journey/expired-logs')],
    only: 'while it was not read',
    changes: one(
      'engine/to-helium/reader/op-log-gap.ts',
      'const point = progress.opLogPoint;',
      'const point = progress.opLogPoint?.sequence === cursor ? progress.opLogPoint : null;',
    ),
  },
  {
    name: 'the position of a change log that was restored in the meantime is taken for its end',
    tests: ['sync/src/engine/restore/notice/read-heads'],
    changes: one('engine/restore/notice/read-heads.ts', 'if (page.isBeyondEnd) throw new StateRestored();', ''),
  },
  {
    name: 'a requested comparison is lost with the run that began it',
    tests: ['sync/src/engine/compare/compare-sides'],
    only: 'after a restart',
    changes: one(
      'engine/compare/loop.ts',
      'await compareSides(active);',
      'if (request !== null) await clearComparisonRequest(helium.pool, stateId, fence, request);\n      await compareSides(active);',
    ),
  },
  {
    name: 'a decimal beyond 2^53 is rounded',
    tests: ['sync/src/mapping/decimals', ...faults('helium/helium-types')],
    changes: one('mapping/decimals.ts', 'size < maxWholePart', 'size < Number.MAX_VALUE'),
  },
  {
    name: 'a write without an answer is repeated with what Journey has in any case',
    tests: ['sync/src/record/record-state'],
    only: 'Journey has already',
    changes: one('record/record-state.ts', ' && value !== fields[column]) values', ') values'),
  },
  {
    name: 'a put that has created its object may empty a photo later',
    tests: ['sync/src/record/two-stores-files', ...faults('journey/unanswered-creation')],
    only: 'photo',
    changes: one('record/record-state.ts', 'if (!first || ', 'if (!first || first.row || '),
  },
  {
    name: 'which of several puts has created an object is guessed',
    tests: ['sync/src/record/two-stores-files'],
    only: 'second of two puts',
    changes: one('record/record-state.ts', '!areFieldsEqual(one.fields, first.fields)', '!one.fields'),
  },
  {
    name: 'a put without a file explains an object with one',
    tests: ['sync/src/record/two-stores-files'],
    only: 'lands late',
    changes: one('record/apply-entry.ts', 'return isOther ? undefined : own;', 'return isOther ? own : own;'),
  },
  {
    name: 'another photo in the second of a listing is skipped',
    tests: ['sync/src/engine/to-helium/merger'],
    only: 'second of a listing',
    changes: one('engine/to-helium/merger/new-entries.ts', ' &&\n    hasSameFiles(entry, files);', ';'),
  },
  {
    name: 'a put without an answer that created a deleted record explains only its files',
    tests: faults('files/lost-files'),
    only: 'stays deleted',
    changes: one(
      'engine/to-helium/merger.ts',
      ' || fields === null || row === null) return state;',
      ' || fields === null) return state;',
    ),
  },
  {
    name: 'a lock that follows an unlock is not saved before the call',
    tests: ['sync/src/enrollment/lost-responses'],
    only: 'locked again during an unlock',
    changes: one(
      'enrollment/apply-lock-requests.ts',
      "else if (state?.stage === 'unlocked') await saveStage(id, 'requested');",
      '',
    ),
  },
  {
    name: 'an app deletes rows of all apps through a function of the state',
    tests: faults('helium/tenants-code'),
    only: 'runs everywhere',
    changes: one('sync-state/schema.ts', '(addresses)\n    and (', '(addresses)\n    and (true or '),
  },
  {
    name: 'an app may delete from the tables of the state',
    tests: faults('helium/tenants-code'),
    only: 'cannot lock a table',
    changes: one('sync-state/app-logins.ts', 'inserted})`])];', "inserted})`, 'delete'])];"),
  },
  {
    name: 'a row that another transaction has just changed is not deleted',
    tests: ['sync/src/helium/remove-state-rows'],
    only: 'changed in the meantime',
    changes: one('sync-state/absences.store.ts', ' and decision is null for update`', ' and decision is null`'),
  },
];

/** Journey → Helium, as long as the integration runs: what is to be read whole, what waits, then the op-log. */
import { setTimeout as pause } from 'node:timers/promises';
import type { RecordKey } from '../engine/record-key.ts';
import type { JourneyEntry } from '../journey/journey-end.ts';
import { DataModelChanged } from '../journey/stale-mapping.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import { forgetAttachments } from '../state/attachment-store.ts';
import { readCounts } from '../state/count-store.ts';
import { readDue, readHeld } from '../state/held-store.ts';
import { settleIntents } from '../state/intent-store.ts';
import { forgetListings, readKnownIds, readRecords } from '../state/record-store.ts';
import { UNREADABLE } from './account-entries.ts';
import { type Applied, BytesNeeded, carryToHelium, comesToHelium, type EntryPage } from './carry-to-helium.ts';
import { type EntriesWithFiles, fetchFiles } from './fetch-files.ts';
import { idBefore } from './id-before.ts';
import type { IntegrationRun } from './integration-run.ts';
import { pageOfBoth } from './page-of-both.ts';
import { Patience } from './patience.ts';
import { Halt, inState, mapOf, PAGE } from './pump.ts';
import { count } from './to-journey-loop.ts';

/** So many polls without news, and they become rarer, down to a tenth. */
const QUIET_POLLS = 60;
const QUIET_TIMES = 10;
const FORGOTTEN_AT_ONCE = 10_000;
/**
 * An answer may be one of a moment ago, from a cache or a replica that lags: what it does not say may have happened all
 * the same. Only when so many in a row say that there is no more, is it believed.
 */
const ENDS_BELIEVED = 5;

export async function runToHelium(on: IntegrationRun): Promise<void> {
  const { signal } = on.run;
  const patience = new Patience(on.timing.retry);
  const pace = { quietPolls: 0, lastPollMs: 0 };
  while (!signal.aborted) {
    try {
      const hasMore = await step(on, pace);
      patience.succeeded();
      pace.quietPolls = hasMore ? 0 : pace.quietPolls + 1;
      if (!hasMore) await restUntilNextPoll(on, pace);
    } catch (problem) {
      if (signal.aborted) return;
      if (problem instanceof BytesNeeded) {
        await forgetAttachments(on.pump.helium.pool, on.pump.run, problem.values);
        continue;
      }
      // While everything is read, nobody else notices.
      if (problem instanceof DataModelChanged) await on.followModel(problem.hash);
      const waitMs = patience.failed(problem);
      tellTrouble(on, problem, waitMs);
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

interface Pace {
  quietPolls: number;
  lastPollMs: number;
}

async function restUntilNextPoll(on: IntegrationRun, pace: Pace): Promise<void> {
  const { pollMs } = on.timing;
  const rarer = Math.max(0, pace.quietPolls - QUIET_POLLS) / 20;
  const restMs = pollMs * Math.min(QUIET_TIMES, 1 + rarer);
  await on.toHelium.sleep(restMs, on.run.signal);
  const sinceMs = Date.now() - pace.lastPollMs;
  if (sinceMs < pollMs) await pause(pollMs - sinceMs, undefined, { signal: on.run.signal }).catch(() => undefined);
}

function tellTrouble({ run }: IntegrationRun, problem: unknown, waitMs: number): void {
  const message = problem instanceof Error ? problem.message : String(problem);
  run.log('WARNING', `Journey → Helium: ${message} Tried again in ${Math.ceil(waitMs / 1000)} s.`);
  run.publish({ journeySyncStatus: `Waiting: ${message}` });
}

/** Answers whether there is more to do at once. */
async function step(on: IntegrationRun, pace: Pace): Promise<boolean> {
  await tellCounts(on);
  if (on.isFromJourney && on.at.toHelium) return readWhole(on, on.at.toHelium);
  if (on.isFromJourney && (await retryHeld(on))) return true;
  pace.lastPollMs = Date.now();
  return readEntries(on);
}

async function readEntries(on: IntegrationRun): Promise<boolean> {
  const { run, pump } = on;
  const { acknowledged, mustReadFirst } = on;
  const cursor = on.at.opLogCursor;
  const page = await run.slot(() =>
    pump.journey.readOpLog({ mapping: pump.mapping, cursor, limit: PAGE, signal: run.signal }),
  );
  run.publish({ lastPingedMs: Date.now() });
  if (page.historyLost && on.isFromJourney) {
    throw new Halt(
      `Journey's op-log no longer holds entry ${cursor}: it is shorter than the integration was away. Continue from version 0 to read everything anew.`,
    );
  }
  await on.followModel(page.dataModelHash);
  if (!on.isFromJourney) {
    run.publish({ journeySyncStatus: 'Off' });
    return false;
  }
  const applied = await carry(on, page.entries, { readBehind: cursor, opLogCursor: page.cursor });
  on.at = { ...on.at, opLogCursor: page.cursor };
  if (page.isLast) {
    await settle(on, acknowledged);
    // Nothing was sent since it was asked for.
    if (mustReadFirst) {
      on.mustReadFirst = false;
      on.toJourney.ring();
    }
  }
  run.publish({
    oplogVersion: page.cursor,
    journeySyncStatus: page.isLast ? 'Live' : 'Catching up',
    journeyToHeliumWaitingSinceMs: page.isLast ? null : (page.entries[0]?.changedAtMs ?? null),
  });
  return !page.isLast || applied.written > 0;
}

/** What Journey had acknowledged when the first of so many answers was asked for has come back, or changed nothing. */
async function settle(on: IntegrationRun, acknowledged: number): Promise<void> {
  if (!on.hasUnsettled) return;
  const { upTo, ends } = on.settling ?? { upTo: acknowledged, ends: 0 };
  on.settling = { upTo, ends: ends + 1 };
  if (on.settling.ends < ENDS_BELIEVED) return;
  on.settling = null;
  on.hasUnsettled = on.acknowledged > upTo;
  await inState(on.pump, (db) => settleIntents(db, on.pump.run, upTo));
  if (on.hasListings) await forgetAll(on);
  on.toJourney.ring();
}

async function forgetAll(on: IntegrationRun): Promise<void> {
  for (;;) {
    const forgotten = await inState(on.pump, (db) => forgetListings(db, on.pump.run, FORGOTTEN_AT_ONCE));
    if (forgotten < FORGOTTEN_AT_ONCE) break;
  }
  on.hasListings = false;
}

async function readWhole(
  on: IntegrationRun,
  snapshot: NonNullable<IntegrationRun['at']['toHelium']>,
): Promise<boolean> {
  const { pump, run } = on;
  const [table, ...others] = snapshot.tables;
  if (table === undefined) {
    const done = { toHelium: null, ...(snapshot.head !== null && { opLogCursor: snapshot.head }) };
    await carryToHelium(pump, { entries: [], blobs: new Map(), ...done });
    on.at = { ...on.at, toHelium: null, opLogCursor: snapshot.head ?? on.at.opLogCursor };
    run.log('INFO', `Journey → Helium: everything is read, ${count(snapshot.count, 'record')}.`);
    on.hasUnsettled = true;
    on.hasListings = true;
    on.toJourney.ring();
    return true;
  }
  const map = mapOf(pump, table);
  const { entries, lastId } = map ? await listWhatIsAndWas(on, map, snapshot.afterId) : { entries: [], lastId: null };
  const next = {
    ...snapshot,
    tables: lastId === null ? others : snapshot.tables,
    afterId: lastId,
    count: snapshot.count + entries.length,
  };
  await carry(on, entries, { isListing: true, toHelium: next });
  on.at = { ...on.at, toHelium: next };
  run.publish({
    lastPingedMs: Date.now(),
    journeySyncStatus: `Reading everything: ${table}, ${next.count.toLocaleString('en')} records so far`,
  });
  return true;
}

/** Objects as they are, and as deleted those that are known and not among them: their end may be in no log any more. */
async function listWhatIsAndWas({ pump, run }: IntegrationRun, map: ObjectMap, afterId: string | null) {
  const listed = await run.slot(() => pump.journey.listAfter(map, afterId, PAGE, run.signal));
  const known = await readKnownIds(pump.helium.pool, pump.run, map.table, { afterId, limit: PAGE });
  const ids = listed.map(({ key }) => key.id);
  const { includes, lastId } = pageOfBoth(ids, known, PAGE);
  const there = new Set(ids);
  const gone = known
    .filter((id) => includes(id) && !there.has(id))
    .map((id): JourneyEntry => goneNow({ table: map.table, id }));
  return { entries: [...listed.filter(({ key }) => includes(key.id)), ...gone], lastId };
}

function goneNow(key: RecordKey): JourneyEntry {
  return { sequence: '0', key, operation: 'delete', fields: null, changedAtMs: Date.now() };
}

/** Records that waited for what has come, or that somebody wants tried again. */
async function retryHeld(on: IntegrationRun): Promise<boolean> {
  const { pump } = on;
  const tables = pump.mapping.objects.filter(({ toHelium }) => toHelium).map(({ table }) => table);
  const due = await readDue(pump.helium.pool, pump.run, 'journey-to-helium', { tables, limit: PAGE });
  if (due.length === 0) return false;
  const held = (await readHeld(pump.helium.pool, pump.run, due))['journey-to-helium'];
  const isUnread = (key: RecordKey) => held.get(key)?.kind === UNREADABLE;
  const known = due.filter((key) => !isUnread(key));
  const records = await readRecords(pump.helium.pool, pump.run, known);
  const entries = known.map((key): JourneyEntry => {
    const { journey } = records.of(key);
    const changedAtMs = held.get(key)?.changedAtMs ?? 0;
    return { sequence: '0', key, operation: journey === null ? 'delete' : 'update', fields: journey, changedAtMs };
  });
  if (entries.length > 0) await carry(on, entries, {});
  for (const key of due.filter(isUnread)) await lookAgain(on, key);
  on.countsMayDiffer = true;
  return true;
}

/** What could not be read as a row was not remembered either: Journey is asked for it once more. */
async function lookAgain(on: IntegrationRun, key: RecordKey): Promise<void> {
  const map = mapOf(on.pump, key.table);
  if (!map) return;
  const [entry] = await on.run.slot(() => on.pump.journey.listAfter(map, idBefore(key.id), 1, on.run.signal));
  const found = entry?.key.id === key.id ? entry : undefined;
  await carry(on, [found ?? goneNow(key)], { isListing: true });
}

async function carry(on: IntegrationRun, entries: readonly JourneyEntry[], rest: Omit<EntryPage, 'entries' | 'blobs'>) {
  const total = { written: 0, echoes: 0, held: 0, released: 0, conflicts: 0 };
  const wanted = entries.filter(({ key }) => comesToHelium(on.pump, key));
  let { readBehind } = rest;
  let part: EntriesWithFiles | undefined;
  for await (const next of fetchFiles(on.pump, wanted)) {
    if (part) {
      // The cursor follows part by part, so that none is applied a second time after a crash.
      const opLogCursor = part.entries.at(-1)?.sequence;
      const where = readBehind === undefined || opLogCursor === undefined ? {} : { readBehind, opLogCursor };
      const { isListing = false } = rest;
      add(total, await carryPart(on, { ...part, ...where, isListing }));
      if (where.opLogCursor !== undefined) readBehind = where.opLogCursor;
    }
    part = next;
  }
  const last = { ...rest, ...(readBehind !== undefined && { readBehind }) };
  add(total, await carryPart(on, { entries: [], blobs: new Map(), ...part, ...last }));
  if (total.held + total.released + total.conflicts > 0) on.countsMayDiffer = true;
  if (total.written > 0) {
    const told = [
      `${count(total.written, 'record')} written`,
      ...(total.held > 0 ? [`${total.held} held back`] : []),
      ...(total.conflicts > 0 ? [count(total.conflicts, 'conflict')] : []),
    ];
    on.run.log('INFO', `Journey → Helium: ${told.join(', ')}.`);
    on.run.publish({ journeyLastUpdatedMs: Date.now() });
  }
  on.toJourney.ring();
  return total;
}

function carryPart(on: IntegrationRun, page: EntryPage): Promise<Applied> {
  return on.run.slot(() => carryToHelium(on.pump, page));
}

function add(total: { -readonly [Name in keyof Applied]: number }, part: Applied): void {
  total.written += part.written;
  total.echoes += part.echoes;
  total.held += part.held;
  total.released += part.released;
  total.conflicts += part.conflicts;
}

async function tellCounts(on: IntegrationRun): Promise<void> {
  if (!on.countsMayDiffer) return;
  on.countsMayDiffer = false;
  on.run.publish(await readCounts(on.pump.helium.pool, on.pump.run));
}

/** Journey → Helium: everything Journey has of the objects that are to be read whole, a page at a time. */
import type { JourneyEntry } from '../journey/journey-end.ts';
import type { ObjectMap } from '../mapping/object-map.ts';
import { readKnownIds } from '../state/record-store.ts';
import { carryEntries } from './carry-entries.ts';
import { carryToHelium } from './carry-to-helium.ts';
import { goneNow } from './gone-now.ts';
import type { IntegrationRun } from './integration-run.ts';
import { pageOfBoth } from './page-of-both.ts';
import { mapOf, PAGE } from './pump.ts';
import { count } from './tell-carried.ts';

/** Answers whether there is more to do at once. */
export async function readObjectsWhole(
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
  await carryEntries(on, entries, { isListing: true, toHelium: next });
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

import { findTestVersions } from '@portal/kit/postgres/test-versions';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCounters } from './counters-snapshot.ts';
import {
  type CountingDatabase,
  type CountingServer,
  getDatabaseUrl,
  getQueryText,
  listStatements,
  roles,
  run,
  startCountingServer,
} from './counting-server.fixture.ts';
import { discardTexts } from './discarded-texts.fixture.ts';
import { findStatementsOfApps, readStatementText } from './statement-text.ts';
import { readAllNumbers, readOthers, readTexts } from './statements.ts';

const rule = { role: roles.app, schemaName: 'clinic_001' };
const otherRule = { role: roles.other, schemaName: 'farm_001' };
const discarded = '<text discarded by the server>';

describe.each(findTestVersions())('statements whose texts $name has discarded', ({ startExclusive }) => {
  let url: string;
  let counted: CountingDatabase;
  let stop: CountingServer['stop'];

  beforeAll(async () => {
    ({ url, counted, stop } = await startCountingServer(startExclusive, {
      settings: { 'pg_stat_statements.track': 'top' },
    }));
  });
  beforeEach(async () => {
    await run(url, 'select pg_stat_statements_reset()');
    await run(getDatabaseUrl(url, { user: roles.app }), 'select 1 as visits', 'select 2, 3 as nurses');
    await run(getDatabaseUrl(url, { user: roles.other }), 'select 4, 5, 6 as harvests');
  });
  afterAll(() => stop());

  it('keep their numbers and shares, for a data source and for an app', async () => {
    const before = [await listStatements(counted), await listStatements(counted, { rule })];
    await discardTexts(url);
    const after = [await listStatements(counted), await listStatements(counted, { rule })];
    for (const [index, statements] of before.entries()) {
      expect(statements.length).toBeGreaterThan(1);
      const kept = after[index]?.filter(({ id }) => statements.some((one) => one.id === id)) ?? [];
      expect(kept.map(({ id, calls }) => ({ id, calls }))).toEqual(statements.map(({ id, calls }) => ({ id, calls })));
      expect(kept.every((one) => !one.hasText && getQueryText(one) === discarded && one.queryLength === null)).toBe(
        true,
      );
      expect(after[index]?.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    }
    expect(after[1]?.every(({ matched }) => matched === 'role')).toBe(true);
  });

  it('are counted beside those that still have theirs', async () => {
    await discardTexts(url, (text) => text.includes('visits'));
    const statements = await listStatements(counted, { rule });
    const texts = statements.map((one) => ({ text: getQueryText(one), hasText: one.hasText }));
    expect(texts).toHaveLength(2);
    expect(texts).toContainEqual({ text: discarded, hasText: false });
    expect(texts).toContainEqual({ text: 'select $1, $2 as nurses', hasText: true });
  });

  it('are the same in snapshots and tables', async () => {
    await discardTexts(url);
    const { database, server, extension } = counted;
    const statements = await listStatements(counted);
    const { ids, counters } = await readCounters(database, server, extension);
    const stored = new Map(ids.map((id, at) => [id, counters[0]?.[at]]));
    expect(statements.filter(({ id }) => !stored.has(id))).toEqual([]);
    const ofApps = statements.filter(({ ranBy }) => ranBy === roles.app || ranBy === roles.other);
    expect(ofApps).toHaveLength(3);
    for (const { id, calls } of ofApps) expect(stored.get(id)).toBe(calls);
  });

  it('are ranked by their numbers, and counted as those of other apps', async () => {
    await discardTexts(url);
    const { database, server, extension } = counted;
    const visible = [rule];
    const numbers = await readAllNumbers(database, server, extension, { visible });
    const shown = numbers.filter(({ isVisible }) => isVisible);
    expect(shown.map(({ isFound, ranBy }) => ({ isFound, ranBy }))).toEqual(
      [1, 2].map(() => ({ isFound: true, ranBy: roles.app })),
    );
    const others = await readOthers(database, server, extension, { visible: [rule, otherRule] });
    const withoutFarm = await readOthers(database, server, extension, { visible });
    expect(withoutFarm.count).toBe(others.count + 1);
  });

  it('state that their text was discarded, and a search for that finds them', async () => {
    await discardTexts(url);
    const { database, extension } = counted;
    const [first, second] = await listStatements(counted, { rule, search: 'DISCARDED by' });
    const ids = [first?.id ?? '', second?.id ?? ''];
    const texts: string[] = [];
    for (const textLimit of [undefined, 20])
      await readTexts(database, extension, { ids, textLimit }, (found) => {
        texts.push(...found.map(({ queryJson }) => JSON.parse(queryJson)));
      });
    expect(texts).toEqual([discarded, discarded, discarded, discarded]);
    expect(await readStatementText(database, extension, ids[0] ?? '', [rule])).toEqual({
      query: discarded,
      hasText: false,
      hidesLiterals: false,
      ranBy: roles.app,
    });
    expect(await findStatementsOfApps(database, extension, ids, [rule])).toHaveLength(2);
    expect(await listStatements(counted, { rule, search: 'nurses' })).toEqual([]);
  });

  it('do not belong to an app whose schema has the name of a word in that note', async () => {
    await discardTexts(url);
    expect(await listStatements(counted, { rule: { role: null, schemaName: 'server' } })).toEqual([]);
  });
});

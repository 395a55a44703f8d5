import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { getScheduleHistory, getSchedules } from '@portal/contract/deployments';
import { getRelease } from '@portal/contract/release-page';
import { getPortalShifts, getRoster } from '@portal/contract/support-roster';
import { syncBases } from '@portal/contract/sync/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallerKind, callers, deriveOutcomes } from '../reference/caller-outcomes.ts';
import { listDeclared } from '../reference/declared-calls.ts';
import { isReachable } from './rules-walk.fixture.ts';
import { type CallersWorld, startCallersWorld } from './rules-walk-callers.fixture.ts';
import { targets, toRow } from './rules-walk-targets.fixture.ts';

/** Everyone sees when the apps of an environment are deployed, as specified. */
const seenByAll = [getSchedules, getRelease, getScheduleHistory].map(toRow);

/** Everyone who may view the roster of a team sees its numbers. */
const phoneNumbers = [getRoster, getPortalShifts].map(toRow);

const kinds: readonly CallerKind[] = ['anonymous', 'readOnly', 'viewer', 'otherTeam', 'otherApp', 'otherEnvironment'];

let world: CallersWorld;

beforeAll(async () => {
  world = await startCallersWorld();
});
afterAll(() => world.stop());

describe('every call and frame', () => {
  it('is walked at each of its addresses', () => {
    expect(new Set(targets.map(({ row }) => row))).toEqual(new Set(listDeclared().keys()));
    const ofSync = [...listDeclared().values()].filter(({ base, method }) => base && method !== 'WebSocket');
    for (const base of syncBases)
      expect(targets.filter((target) => target.base === base && !target.row.includes('WebSocket'))).toHaveLength(
        ofSync.length,
      );
  });

  it.each(kinds)('has the outcome that its declaration promises to the caller %s', async (kind) => {
    const promised = [...listDeclared()].map(([row, each]) => [row, String(deriveOutcomes(each)[kind])]);
    // A call that is declared and not walked, or walked and not declared, is a difference, too.
    expect(Object.fromEntries((await world.observe(kind)).outcomes)).toEqual(Object.fromEntries(promised));
  });

  it.each([
    ['anonymous', []],
    ['readOnly', phoneNumbers],
    ['viewer', phoneNumbers],
    ['otherTeam', [...seenByAll, ...phoneNumbers]],
    ['otherApp', seenByAll.slice(0, 1)],
    ['otherEnvironment', []],
  ] as const)(
    'discloses to the caller %s nothing of others, except schedules and phone numbers of rosters',
    async (kind, expected) => {
      expect((await world.observe(kind)).disclosing).toEqual(expected);
    },
  );

  it('responds with the same sentence to the id of an app of others and to an unknown one', async () => {
    const { refusals } = await world.observe('otherApp');
    expect(refusals.length).toBeGreaterThan(60);
    expect(refusals.filter(({ sentences: [one, other] }) => one !== other)).toEqual([]);
  });

  it('is refused at the base of another environment', async () => {
    const { derived, clinic } = world;
    const client = await derived.signIn('health.dev', 'health');
    const elsewhere = targets.filter((each) => !isReachable(each));
    const statuses = new Set<unknown>();
    for (const target of elsewhere) statuses.add((await target.send({ ...clinic, client })).outcome);
    expect(elsewhere.length).toBeGreaterThan(70);
    expect([...statuses].toSorted()).toEqual([400, 4400]);
  });

  it('has the outcomes that the documentation lists', async () => {
    const page = await readFile(fileURLToPath(new URL('../../../docs/security.md', import.meta.url)), 'utf8');
    const rows = page.split('\n').map((line) => line.replace(/^\| | \|$/g, '').split(' | '));
    const header = rows.find((cells) => cells.includes(callers.anonymous)) ?? [];
    expect(header.slice(-kinds.length)).toEqual(kinds.map((kind) => callers[kind]));
    for (const kind of kinds) {
      const column = header.indexOf(callers[kind]);
      const { outcomes } = await world.observe(kind);
      const documented = rows.flatMap((cells) => {
        const [row = '', outcome] = [cells[0], cells[column]];
        return cells.length === header.length && outcomes.has(row) ? [[row, outcome]] : [];
      });
      expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(outcomes));
    }
  });
});

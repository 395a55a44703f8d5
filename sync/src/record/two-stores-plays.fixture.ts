/** Random plays of edits, crashes, and lost and late calls between two stores in memory. */
import fc from 'fast-check';
import type { Fields } from './fields.ts';
import type { TwoStores } from './two-stores.fixture.ts';

/** The default seed repeats the same runs; `npm run soak` uses others. */
export const seed = Number(process.env.SEED ?? 20_261_121);

export const arbitraryId = fc.constantFrom('x', 'y');
export const value = fc.constantFrom(1, 2, 3, null);

export type Side = 'helium' | 'journey';
type Action = (stores: TwoStores) => void;
export interface NamedAction {
  readonly name: string;
  readonly run: Action;
}

/** Failures show only the names. */
export const createAction = (name: string, run: Action): NamedAction =>
  ({ name, run, [fc.toStringMethod]: () => name }) as NamedAction;

/** What the engine and the network do between two edits. */
const steps: fc.Arbitrary<NamedAction> = fc.oneof(
  fc.constantFrom(
    createAction('prepare', (stores) => stores.prepare()),
    createAction('arrive', (stores) => stores.arrive()),
    createAction('acknowledge', (stores) => stores.acknowledge()),
    createAction('crash', (stores) => stores.crash()),
    createAction('arrive late', (stores) => stores.arriveLate()),
    createAction('tick', (stores) => stores.tick()),
  ),
  fc.integer({ min: 1, max: 4 }).map((count) => createAction(`read ${count}`, (stores) => stores.read(count))),
);

/** The op-log shows only this many new entries, until it catches up. */
const lags: fc.Arbitrary<NamedAction> = fc.oneof(
  fc.integer({ min: 0, max: 2 }).map((count) => createAction(`lag ${count}`, (stores) => stores.lag(count))),
  fc.constant(createAction('catch up', (stores) => stores.catchUp())),
);

export function edits(side: Side, change: fc.Arbitrary<Fields | null>): fc.Arbitrary<NamedAction> {
  return fc
    .record({ id: arbitraryId, change })
    .map(({ id, change }) =>
      createAction(`${side} ${id} ${JSON.stringify(change)}`, (stores) =>
        side === 'helium' ? stores.editHelium(id, change) : stores.editJourney(id, change),
      ),
    );
}

/** A session of the app locks a row, or ends. */
export const locks: fc.Arbitrary<NamedAction> = fc
  .record({ id: arbitraryId, isLocked: fc.boolean() })
  .map(({ id, isLocked }) =>
    createAction(`${isLocked ? 'lock' : 'unlock'} ${id}`, (stores) => (isLocked ? stores.lock(id) : stores.unlock(id))),
  );

export const anyChange = fc.oneof(
  { weight: 1, arbitrary: fc.record({ a: value, b: value }) },
  { weight: 3, arbitrary: value.map((a) => ({ a })) },
  { weight: 3, arbitrary: value.map((b) => ({ b })) },
  { weight: 1, arbitrary: fc.constant(null) },
);

export const promptPlays = (...actions: fc.Arbitrary<NamedAction>[]) =>
  fc.array(fc.oneof(steps, ...actions), { maxLength: 40, size: 'max' });

export const plays = (...actions: fc.Arbitrary<NamedAction>[]) => promptPlays(lags, ...actions);

export function play(stores: TwoStores, actions: readonly NamedAction[]): void {
  for (const { run } of actions) run(stores);
  stores.rest();
}

export function contents(store: ReadonlyMap<string, Fields | { fields: Fields }>): unknown {
  return Object.fromEntries(
    [...store]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, value]) => [id, 'fields' in value ? value.fields : value]),
  );
}

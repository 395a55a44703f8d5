// @module-tag long

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fields, Value } from './fields.ts';
import type { ConflictPolicy } from './merge.ts';
import { TwoStores } from './two-stores.fixture.ts';
import {
  anyChange,
  arbitraryId,
  contents,
  createAction,
  edits,
  locks,
  play,
  plays,
  promptPlays,
  type Side,
  seed,
  value,
} from './two-stores-plays.fixture.ts';

test.each(['later', 'helium', 'journey'] as const)(
  'makes both sides equal at rest, whatever happens (%s)',
  (policy) => {
    fc.assert(
      fc.property(plays(edits('helium', anyChange), edits('journey', anyChange), locks), (actions) => {
        const stores = new TwoStores(policy);
        play(stores, actions);
        expect(contents(stores.helium)).toEqual(contents(stores.journey));
      }),
      { seed, numRuns: 3000 },
    );
  },
);

test('writes nothing more at rest', { tags: 'short' }, () => {
  fc.assert(
    fc.property(plays(edits('helium', anyChange), edits('journey', anyChange), locks), (actions) => {
      const stores = new TwoStores('later');
      play(stores, actions);
      const { writes } = stores;
      stores.rest();
      expect(stores.writes).toBe(writes);
    }),
    { seed, numRuns: 1000 },
  );
});

test('loses no edit and records no conflict when each side edits its own field', () => {
  const editsOfA = value.map((a) => ({ a }));
  const editsOfB = value.map((b) => ({ b }));
  fc.assert(
    fc.property(plays(edits('helium', editsOfA), edits('journey', editsOfB), locks), (actions) => {
      const stores = new TwoStores('later');
      stores.editHelium('x', { a: 0 });
      stores.editHelium('y', { a: 0 });
      stores.rest();
      const last = { x: { a: 0, b: null }, y: { a: 0, b: null } };
      for (const { name } of actions) {
        const [, id, change] = name.match(/^(?:helium|journey) ([xy]) (.*)$/) ?? [];
        if (id === 'x' || id === 'y') Object.assign(last[id], JSON.parse(change ?? ''));
      }
      play(stores, actions);
      expect(contents(stores.helium)).toEqual(last);
      expect(contents(stores.journey)).toEqual(last);
      expect(stores.conflicts).toEqual([]);
    }),
    { seed, numRuns: 3000 },
  );
});

/** Each side edits its own field of a record that was sent twice: the first put may still land. */
class RepeatedPut extends TwoStores {
  readonly last: Record<string, Value> = { a: 1, b: null };

  constructor() {
    super('later');
    super.editHelium('x', { a: 1 });
    this.prepare();
    this.crash();
    this.read(Number.POSITIVE_INFINITY);
    this.prepare();
    this.arrive();
    this.acknowledge();
    this.read(Number.POSITIVE_INFINITY);
  }

  override editHelium(id: string, change: Fields | null): void {
    if (id === 'x') this.#edit(change, () => super.editHelium(id, change));
  }

  override editJourney(id: string, change: Fields | null): void {
    // Journey does not log what changes nothing.
    if (id === 'x' && this.journey.get(id)?.b !== change?.b) this.#edit(change, () => super.editJourney(id, change));
  }

  #edit(change: Fields | null, edit: () => void): void {
    Object.assign(this.last, change);
    edit();
  }
}

test('has the last value of each field or lists it, although a device restores what a write without an answer had', () => {
  const editsOfA = value.map((a) => ({ a }));
  const editsOfB = fc.constantFrom(1, null).map((b) => ({ b }));
  fc.assert(
    fc.property(plays(edits('helium', editsOfA), edits('journey', editsOfB)), (actions) => {
      const stores = new RepeatedPut();
      play(stores, actions);
      expect(contents(stores.helium)).toEqual(contents(stores.journey));
      const row = stores.helium.get('x')?.fields;
      expect(row?.a).toBe(stores.last.a);
      if (row?.b === stores.last.b) return;
      const { b } = stores.last;
      expect(stores.conflicts).toContainEqual({ column: 'b', helium: row?.b, journey: b, winner: 'helium' });
    }),
    { seed, numRuns: 3000 },
  );
});

/**
 * Each side edits its own field of records that are created during the run, with values that never
 * occurred before. A repeated value would be ambiguous: an edit that equals a lost engine write is
 * taken for that write, and listed.
 */
class CreatingStores extends TwoStores {
  readonly last = new Map<string, Fields>();
  /** Whether a call that was given up has landed anyway. */
  hasLate = false;
  hasCrashed = false;
  hasLagged = false;
  readonly #creators: Readonly<Record<string, readonly Side[]>>;
  #value = 0;

  /**
   * @param creators by id, the sides that create it; the other side edits it once it has arrived
   */
  constructor(creators: Readonly<Record<string, readonly Side[]>>) {
    super('later');
    this.#creators = creators;
  }

  override editHelium(id: string): void {
    if (this.helium.has(id) || this.#creators[id]?.includes('helium')) super.editHelium(id, this.#change(id, 'a'));
  }

  override editJourney(id: string): void {
    if (this.journey.has(id) || this.#creators[id]?.includes('journey')) super.editJourney(id, this.#change(id, 'b'));
  }

  override crash(): void {
    this.hasCrashed = true;
    super.crash();
  }

  override lag(entries: number): void {
    this.hasLagged = true;
    super.lag(entries);
  }

  override arriveLate(): void {
    const { writes } = this;
    super.arriveLate();
    this.hasLate ||= this.writes > writes;
  }

  #change(id: string, field: 'a' | 'b'): Fields {
    this.#value += 1;
    const change = { [field]: this.#value };
    this.last.set(id, { a: null, b: null, ...this.last.get(id), ...change });
    return change;
  }
}

const anyEdit = fc.constant({});
/** Checks that every lost edit is recorded as a conflict. */
function expectLostEditsReported({ last, helium, conflicts }: CreatingStores): void {
  for (const [id, { a, b }] of last) {
    const row = helium.get(id)?.fields;
    if (row?.a !== a) expect(conflicts).toContainEqual(expect.objectContaining({ column: 'a', helium: a }));
    if (row?.b !== b) expect(conflicts).toContainEqual(expect.objectContaining({ column: 'b', journey: b }));
  }
}

test.each([
  ['lags', plays],
  ['is up to date', promptPlays],
] as const)(
  'loses no edit of a record created during the run and edited by both sides while the op-log %s',
  (_when, arbitraryPlays) => {
    fc.assert(
      fc.property(arbitraryPlays(edits('helium', anyEdit), edits('journey', anyEdit), locks), (actions) => {
        const stores = new CreatingStores({ x: ['helium'], y: ['journey'] });
        play(stores, actions);
        expect(contents(stores.helium)).toEqual(contents(stores.journey));
        if (stores.hasLate) return expectLostEditsReported(stores);
        expect(contents(stores.helium)).toEqual(contents(stores.last));
        expect(stores.conflicts).toEqual([]);
        // Checked at every step: a repeated put would undo an edit, and its echo would restore the
        // value. While the op-log lags, this happens with a call that was not answered.
        if (stores.hasCrashed && stores.hasLagged) return;
        expect(stores.rewritten.filter(({ before, after }) => after?.b !== before.b)).toEqual([]);
      }),
      { seed, numRuns: 3000 },
    );
  },
);

test('sends nothing that Journey acknowledged again, and loses no edit, however long the op-log lags', () => {
  const answeredCalls = fc.oneof(
    fc.constantFrom(
      createAction('send', (stores) => {
        stores.prepare();
        stores.arrive();
        stores.acknowledge();
      }),
      createAction('poll', (stores) => stores.read(Number.POSITIVE_INFINITY)),
      createAction('tick', (stores) => stores.tick()),
      createAction('lag', (stores) => stores.lag(0)),
      createAction('show an entry', (stores) => stores.lag(1)),
      createAction('catch up', (stores) => stores.catchUp()),
    ),
    edits('helium', anyEdit),
    edits('journey', anyEdit),
  );
  fc.assert(
    fc.property(fc.array(answeredCalls, { maxLength: 60, size: 'max' }), (actions) => {
      const stores = new CreatingStores({ x: ['helium'], y: ['helium'] });
      play(stores, actions);
      expect(contents(stores.helium)).toEqual(contents(stores.last));
      expect(contents(stores.journey)).toEqual(contents(stores.last));
      expect(stores.conflicts).toEqual([]);
      expect(stores.sent).toBeLessThanOrEqual(actions.filter(({ name }) => name.startsWith('helium')).length);
    }),
    { seed, numRuns: 3000 },
  );
});

test('merges records that both sides create under one id, and reports an edit that our put overwrites', () => {
  fc.assert(
    fc.property(plays(edits('helium', anyEdit), edits('journey', anyEdit), locks), (actions) => {
      const stores = new CreatingStores({ x: ['helium', 'journey'], y: ['helium', 'journey'] });
      play(stores, actions);
      expect(contents(stores.helium)).toEqual(contents(stores.journey));
      expectLostEditsReported(stores);
    }),
    { seed, numRuns: 3000 },
  );
});

test.each(['before', 'after'])(
  'keeps both fields of a record created on both sides at once (%s ours lands)',
  (when) => {
    const stores = new TwoStores('later');
    stores.editHelium('x', { a: 1 });
    if (when === 'after') stores.prepare();
    stores.editJourney('x', { b: 2 });
    stores.rest();
    expect(contents(stores.helium)).toEqual({ x: { a: 1, b: 2 } });
    expect(contents(stores.journey)).toEqual({ x: { a: 1, b: 2 } });
    expect(stores.conflicts).toEqual([]);
  },
);

test('delivers the last state of a record that only one side edits, including deletions', () => {
  for (const side of ['helium', 'journey'] as const) {
    fc.assert(
      fc.property(plays(edits(side, anyChange), locks), (actions) => {
        const stores = new TwoStores('later');
        const oneSided = new TwoStores('later');
        for (const { name, run } of actions) if (name.startsWith(side)) run(oneSided);
        play(stores, actions);
        const expected = contents(side === 'helium' ? oneSided.helium : oneSided.journey);
        expect(contents(stores.helium)).toEqual(expected);
        expect(contents(stores.journey)).toEqual(expected);
        // A call that was given up and lands after its successor may be reported as a conflict; its
        // value still loses.
        if (!actions.some(({ name }) => name === 'arrive late')) expect(stores.conflicts).toEqual([]);
      }),
      { seed, numRuns: 2000 },
    );
  }
});

test.each(['later', 'helium', 'journey'] as const)(
  'keeps every value of both sides when nothing is known of them (%s)',
  (policy) => {
    const content = fc.option(fc.record({ a: value, b: value }), { nil: null });
    const touch = arbitraryId.map((id) => createAction(`touch ${id}`, (stores) => stores.touchHelium(id)));
    fc.assert(
      fc.property(fc.record({ helium: content, journey: content }), plays(touch), ({ helium, journey }, actions) => {
        const stores = new TwoStores(policy);
        stores.editHelium('x', helium);
        stores.tick();
        stores.editJourney('x', journey);
        stores.startFromHere();
        stores.touchHelium('x');
        play(stores, actions);
        const row = stores.helium.get('x')?.fields ?? null;
        // A record that only Journey has is not written.
        if (helium) expect(stores.journey.get('x')).toEqual(row);
        for (const before of [helium, journey]) {
          for (const [column, expected] of Object.entries(before ?? {})) {
            const kept = [row?.[column], stores.journey.get('x')?.[column]].includes(expected);
            const reported = stores.conflicts.some(
              (one) => one.column === column && [one.helium, one.journey].includes(expected),
            );
            expect(expected === null || kept || reported).toBe(true);
          }
        }
      }),
      { seed, numRuns: 1000 },
    );
  },
);

test('carries a deletion of which nothing is known, unless Journey edited the record after it', () => {
  fc.assert(
    fc.property(fc.boolean(), plays(), (isEditedLater, actions) => {
      const stores = new TwoStores('later');
      stores.editHelium('x', { a: 1 });
      stores.rest();
      stores.startFromHere();
      stores.editHelium('x', null);
      stores.tick();
      if (isEditedLater) stores.editJourney('x', { b: 2 });
      play(stores, actions);
      const expected = isEditedLater ? { x: { a: 1, b: 2 } } : {};
      expect(contents(stores.helium)).toEqual(expected);
      expect(contents(stores.journey)).toEqual(expected);
    }),
    { seed, numRuns: 1000 },
  );
});

test('treats a column whose name every object has like any other', () => {
  const names = fc.constantFrom('constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__');
  const pair = fc.uniqueArray(names, { minLength: 2, maxLength: 2 });
  const restart = fc.constant(createAction('start from here', (stores) => stores.startFromHere()));
  const touch = arbitraryId.map((id) => createAction(`touch ${id}`, (stores) => stores.touchHelium(id)));
  const policy = fc.constantFrom<ConflictPolicy>('later', 'helium', 'journey');
  const arbitraryPlay = plays(edits('helium', anyChange), edits('journey', anyChange), restart, touch);
  fc.assert(
    fc.property(policy, pair, arbitraryPlay, (policy, [a = '', b = ''], actions) => {
      const rename = (fields: Fields | null) =>
        fields && Object.fromEntries(Object.entries(fields).map(([column, value]) => [column === 'a' ? a : b, value]));
      const plain = new TwoStores(policy);
      const named = new TwoStores(policy, [a, b]);
      for (const { name, run } of actions) {
        run(plain);
        const [, side, id = '', change = ''] = name.match(/^(helium|journey) ([xy]) (.*)$/) ?? [];
        if (side === 'helium') named.editHelium(id, rename(JSON.parse(change)));
        else if (side === 'journey') named.editJourney(id, rename(JSON.parse(change)));
        else run(named);
      }
      plain.rest();
      named.rest();
      const renamed = (store: Parameters<typeof contents>[0]) =>
        [...store].map(([id, value]) => [
          id,
          JSON.stringify(rename('fields' in value ? (value.fields as Fields) : value)),
        ]);
      const texts = (store: Parameters<typeof contents>[0]) =>
        [...store].map(([id, value]) => [id, JSON.stringify('fields' in value ? value.fields : value)]);
      expect(texts(named.helium)).toEqual(renamed(plain.helium));
      expect(texts(named.journey)).toEqual(renamed(plain.journey));
      expect(named.conflicts.length).toBe(plain.conflicts.length);
    }),
    { seed, numRuns: 2000 },
  );
});

/** A constraint of Helium that values of both sides violate. */
const rejectsThree = (fields: Fields | null) => fields?.b === 3;
const operators = fc.oneof(
  arbitraryId.map((id) => createAction(`skip ${id}`, (stores) => stores.skip(id))),
  arbitraryId.map((id) => createAction(`retry ${id}`, (stores) => stores.retry(id))),
  fc.constant(createAction('try', (stores) => stores.tryDue())),
);

test.each(['later', 'helium', 'journey'] as const)(
  'makes both sides equal once nothing is rejected, whatever was skipped and retried before (%s)',
  (policy) => {
    fc.assert(
      fc.property(plays(edits('helium', anyChange), edits('journey', anyChange), operators), (actions) => {
        const stores = new TwoStores(policy);
        stores.rejects = rejectsThree;
        play(stores, actions);
        stores.rejects = () => false;
        for (const id of ['x', 'y']) stores.retry(id);
        stores.rest();
        expect(stores.held.size).toBe(0);
        expect(contents(stores.helium)).toEqual(contents(stores.journey));
      }),
      { seed, numRuns: 2000 },
    );
  },
);

test('sends the field that only Helium edits of a skipped record, and carries its deletion', () => {
  const editsOfA = value.map((a) => ({ a }));
  const editsOfB = value.map((b) => ({ b }));
  fc.assert(
    fc.property(
      plays(edits('helium', editsOfA), edits('journey', editsOfB), operators),
      fc.boolean(),
      (actions, isDeleted) => {
        const stores = new TwoStores('later');
        stores.editHelium('x', { a: 0 });
        stores.editHelium('y', { a: 0 });
        stores.rest();
        stores.rejects = rejectsThree;
        play(stores, actions);
        const held = [...stores.held.keys()];
        for (const id of held) stores.skip(id);
        stores.tick();
        for (const id of ['x', 'y']) stores.editHelium(id, isDeleted ? null : { a: 9 });
        stores.rest();
        if (isDeleted) {
          expect([stores.helium.size, stores.journey.size, stores.held.size]).toEqual([0, 0, 0]);
          return;
        }
        expect(stores.conflicts).toEqual([]);
        expect([...stores.held.values()].map(({ state }) => state)).toEqual(held.map(() => 'skipped'));
        for (const id of ['x', 'y'])
          expect([stores.helium.get(id)?.fields.a, stores.journey.get(id)?.a]).toEqual([9, 9]);
      },
    ),
    { seed, numRuns: 2000 },
  );
});

/**
 * Files on both sides of two stores in memory: announced, replaced, cleared, failing and written.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fields } from './fields.ts';
import type { ConflictPolicy } from './merge.ts';
import { TwoStores } from './two-stores.fixture.ts';
import {
  arbitraryId,
  contents,
  createAction,
  locks,
  type NamedAction,
  play,
  plays,
  type Side,
  seed,
} from './two-stores-plays.fixture.ts';

const columns = ['a', 'b'];

/** Each file has content that never occurred before. */
class FileStores extends TwoStores {
  /** What was written last, by either side. */
  readonly last = new Map<string, Fields>();
  readonly written: string[] = [];
  /** What the side that replaced it knew. */
  readonly replaced = new Set<string>();
  kills = 0;
  hasLate = false;
  #count = 0;

  constructor(policy: ConflictPolicy) {
    super(policy, columns, columns);
  }

  setFile(side: Side, id: string, column: string, kind: Kind): void {
    this.#count += 1;
    const file = kind === 'clear' ? null : `${side} ${this.#count}`;
    const fields = side === 'helium' ? this.helium.get(id)?.fields : this.journey.get(id);
    // A record that one side has deleted stays deleted.
    if (!fields) return;
    this.replaced.add(String(fields[column]));
    if (file !== null) this.written.push(file);
    if (side === 'helium') this.editHelium(id, { [column]: file });
    else this.editJourney(id, { [column]: file }, kind !== 'announce');
    this.last.set(id, { ...this.last.get(id), [column]: file });
  }

  createBoth(): void {
    for (const id of ['x', 'y']) this.create(id);
    this.rest();
  }

  create(id: string): void {
    this.editHelium(id, { a: `first of ${id}` });
    this.last.set(id, { a: `first of ${id}`, b: null });
  }

  override fetchFiles(outcome?: 'done' | 'failed' | 'killed'): void {
    if (outcome === 'killed') this.kills += 1;
    super.fetchFiles(outcome);
  }

  override arriveLate(): void {
    const { writes } = this;
    super.arriveLate();
    this.hasLate ||= this.writes > writes;
  }
}

const onFiles = (name: string, run: (stores: FileStores) => void) =>
  createAction(name, (stores) => {
    if (stores instanceof FileStores) run(stores);
  });

/** What happens to the engine's loop of files. */
const downloads: fc.Arbitrary<NamedAction> = fc.constantFrom(
  onFiles('fetch files', (stores) => stores.fetchFiles()),
  onFiles('fail to fetch files', (stores) => stores.fetchFiles('failed')),
  onFiles('be killed while fetching files', (stores) => {
    stores.fetchFiles('killed');
    stores.crash();
  }),
  onFiles('finish uploads', (stores) => stores.finishUploads()),
);

type Kind = 'set' | 'announce' | 'clear';

const edits = (side: Side, columns: readonly string[], ...kinds: readonly Kind[]): fc.Arbitrary<NamedAction> =>
  fc
    .record({ id: arbitraryId, column: fc.constantFrom(...columns), kind: fc.constantFrom(...kinds) })
    .map(({ id, column, kind }) =>
      onFiles(`${side}: ${kind} ${column} of ${id}`, (stores) => stores.setFile(side, id, column, kind)),
    );

const anyEdits = (side: Side, ...columns: readonly string[]) => edits(side, columns, 'set', 'announce', 'clear');

const deletions: fc.Arbitrary<NamedAction> = fc
  .record({ id: arbitraryId, side: fc.constantFrom<Side>('helium', 'journey') })
  .map(({ id, side }) =>
    onFiles(`${side}: delete ${id}`, (stores) =>
      side === 'helium' ? stores.editHelium(id, null) : stores.editJourney(id, null),
    ),
  );

/** A file is downloaded again only if the engine was killed before it was written. */
function expectFewDownloads({ files, kills }: FileStores): void {
  for (const id of new Set(files.downloads))
    expect(files.downloads.filter((one) => one === id).length).toBeLessThanOrEqual(1 + kills);
}

test.each(['later', 'helium', 'journey'] as const)(
  'makes files equal on both sides at rest, whatever happens (%s)',
  (policy) => {
    const anything = plays(
      anyEdits('helium', ...columns),
      anyEdits('journey', ...columns),
      deletions,
      downloads,
      locks,
    );
    fc.assert(
      fc.property(anything, (actions) => {
        const stores = new FileStores(policy);
        stores.createBoth();
        play(stores, actions);
        expect(contents(stores.helium)).toEqual(contents(stores.journey));
        expectFewDownloads(stores);
        const { writes } = stores;
        stores.rest();
        expect(stores.writes).toBe(writes);
      }),
      { seed, numRuns: 1000 },
    );
  },
);

test('loses no file and records no conflict when each side edits its own field', () => {
  fc.assert(
    fc.property(plays(anyEdits('helium', 'a'), anyEdits('journey', 'b'), downloads, locks), (actions) => {
      const stores = new FileStores('later');
      stores.createBoth();
      play(stores, actions);
      expect(contents(stores.helium)).toEqual(contents(stores.last));
      expect(contents(stores.journey)).toEqual(contents(stores.last));
      // After a lost response, a file that we sent and replaced is not recognized.
      expect(stores.conflicts.filter(({ journey }) => !String(journey).includes('helium'))).toEqual([]);
      expectFewDownloads(stores);
    }),
    { seed, numRuns: 1000 },
  );
});

test('loses no photo and records no conflict of it when the response to the creation is lost', () => {
  fc.assert(
    fc.property(plays(anyEdits('helium', 'a'), anyEdits('journey', 'b'), downloads, locks), (actions) => {
      const stores = new FileStores('later');
      stores.create('x');
      stores.prepare();
      stores.arrive();
      stores.crash();
      play(stores, actions);
      expect(contents(stores.helium)).toEqual(contents(stores.last));
      expect(contents(stores.journey)).toEqual(contents(stores.last));
      expect(stores.conflicts.filter(({ column }) => column === 'b')).toEqual([]);
      expectFewDownloads(stores);
    }),
    { seed, numRuns: 1000 },
  );
});

test('has the last photo, which waits, or lists it when the call that creates its record lands late', () => {
  fc.assert(
    fc.property(plays(anyEdits('helium', 'a'), anyEdits('journey', 'b')), (actions) => {
      const stores = new FileStores('later');
      stores.create('x');
      stores.prepare();
      stores.crash();
      play(stores, actions);
      // The next entry of the op-log shows that the last write was replaced.
      stores.editJourney('y', { b: 'other' });
      stores.rest();
      expect(contents(stores.helium)).toEqual(contents(stores.journey));
      const { a, b } = stores.last.get('x') ?? {};
      const row = stores.helium.get('x')?.fields;
      expect(row?.a).toBe(a);
      if (row?.b !== b) expect(JSON.stringify(stores.conflicts)).toContain(b === null ? String(row?.b) : String(b));
    }),
    { seed, numRuns: 1000 },
  );
});

test.each(['later', 'helium', 'journey'] as const)(
  'has each file on both sides or in a conflict, unless the one who replaced it had seen it (%s)',
  (policy) => {
    // An empty field is a repeated value: one side that empties it may be taken for the other.
    const sets = (side: Side) => edits(side, ['a'], 'set', 'announce');
    fc.assert(
      fc.property(plays(sets('helium'), sets('journey'), downloads), (actions) => {
        const stores = new FileStores(policy);
        stores.createBoth();
        play(stores, actions);
        const conflicts = JSON.stringify(stores.conflicts);
        const kept = JSON.stringify(contents(stores.helium));
        const lost = stores.written.filter(
          (file) => !(stores.replaced.has(file) || kept.includes(`"${file}"`) || conflicts.includes(`${file}"`)),
        );
        expect(lost).toEqual([]);
      }),
      { seed, numRuns: 1000 },
    );
  },
);

test('records a conflict when a photo is replaced before it is downloaded, by a call without a response', () => {
  const stores = new FileStores('later');
  stores.createBoth();
  stores.setFile('helium', 'x', 'a', 'set');
  stores.prepare();
  stores.setFile('journey', 'x', 'a', 'set');
  stores.crash();
  stores.rest();
  expect(stores.conflicts).toEqual([{ column: 'a', helium: 'helium 1', journey: 'file journey 2', winner: 'helium' }]);
});

test('lists a photo that the second of two puts replaces, after the first one has created the record', () => {
  const stores = new FileStores('later');
  stores.create('x');
  stores.prepare();
  stores.crash();
  stores.read(1);
  stores.setFile('helium', 'x', 'a', 'set');
  stores.prepare();
  stores.arriveLate();
  stores.read(1);
  stores.fetchFiles();
  stores.setFile('journey', 'x', 'b', 'set');
  stores.rest();
  expect(stores.conflicts).toContainEqual({
    column: 'b',
    helium: null,
    journey: 'file journey 2',
    winner: 'helium',
  });
});

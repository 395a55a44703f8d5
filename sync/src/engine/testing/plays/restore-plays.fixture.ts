/** Random plays of edits, restores, and everything else that happens to an integration. */
import fc from 'fast-check';
import type { Action, Play, Setup } from './play-actions.fixture.ts';

/** What people do all the time. */
type Edit = 'insert' | 'insert on both sides' | 'edit' | 'refer' | 'delete';
type Kind = Exclude<Action['do'], Edit>;

/** What happens besides. To leave a kind out, remove it here, with the reason. */
const playedKinds: readonly Kind[] = [
  'rest',
  'stop',
  'stop during a call',
  'run',
  'copy',
  'restore Helium',
  'restore Journey',
  'empty list',
  'move',
  'compare',
  'expire',
  'clear log',
  'lose state',
  'create again',
];

/** `KINDS='rest,restore Helium'` plays these only. */
const chosen: readonly string[] = process.env.KINDS?.split(',') ?? playedKinds;

const side = fc.constantFrom('helium', 'journey');
const table = fc.constantFrom('region', 'region', 'farmer');
const nth = fc.nat({ max: 3 });
const numbers = fc.constantFrom('behind', 'equal', 'past');

const edits: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('insert'), side, table, logged: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('edit'),
      side,
      table,
      nth,
      column: fc.constantFrom('name', 'code', 'one-sided'),
      logged: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'insert on both sides' }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refer'), side, nth, to: nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), side, table, nth }) },
);

const mode = fc.constantFrom('both', 'to Journey', 'to Helium');

const kinds: Readonly<Record<Kind, fc.Arbitrary<Action>>> = {
  rest: fc.constant({ do: 'rest' }),
  stop: fc.constant({ do: 'stop' }),
  'stop during a call': fc.record({ do: fc.constant('stop during a call'), nth, isReceived: fc.boolean() }),
  run: fc.record({ do: fc.constant('run'), mode: fc.oneof({ weight: 3, arbitrary: fc.constant('both') }, mode) }),
  copy: fc.record({ do: fc.constant('copy'), side }),
  'restore Helium': fc.record({
    do: fc.constant('restore Helium'),
    numbers,
    how: fc.constantFrom('rows', 'schema', 'schema, noticed', 'database'),
  }),
  'restore Journey': fc.record({ do: fc.constant('restore Journey'), numbers }),
  'empty list': fc.record({ do: fc.constant('empty list'), during: fc.constantFrom('comparison', 'version 0') }),
  move: fc.record({
    do: fc.constant('move'),
    direction: fc.constantFrom('helium-to-journey', 'journey-to-helium'),
    to: fc.constantFrom('zero', 'half'),
  }),
  compare: fc.constant({ do: 'compare' }),
  expire: fc.record({ do: fc.constant('expire'), keep: fc.nat({ max: 1 }) }),
  'clear log': fc.constant({ do: 'clear log' }),
  'lose state': fc.constant({ do: 'lose state' }),
  'create again': fc.record({ do: fc.constant('create again'), side, nth }),
};

const events = fc.oneof(
  ...Object.entries(kinds)
    .filter(([kind]) => chosen.includes(kind))
    .map(([, arbitrary]) => arbitrary),
);

const setup: fc.Arbitrary<Setup> = fc.record({
  policy: fc.constantFrom('later', 'helium', 'journey'),
  mode: fc.oneof({ weight: 3, arbitrary: fc.constant('both') }, mode),
  from: fc.oneof({ weight: 3, arbitrary: fc.constant('zero') }, fc.constantFrom('given', 'half')),
});

/** Records on both sides, the first run, copies of both sides, and then anything. */
export const plays: fc.Arbitrary<Play> = fc
  .record({
    setup,
    before: fc.array(edits, { maxLength: 5 }),
    after: fc.array(fc.oneof({ weight: 3, arbitrary: edits }, { weight: 2, arbitrary: events }), {
      minLength: 2,
      maxLength: 12,
      size: 'max',
    }),
  })
  .map(({ setup, before, after }) => ({
    setup,
    actions: [
      ...before,
      { do: 'run', mode: setup.mode },
      { do: 'rest' },
      { do: 'copy', side: 'helium' },
      { do: 'copy', side: 'journey' },
      ...after,
    ],
  }));

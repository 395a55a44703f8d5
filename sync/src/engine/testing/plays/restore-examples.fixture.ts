/** Short plays in which the engine once lost data. */
import type { Action, Play, Setup } from './play-actions.fixture.ts';

const twoWay: Setup = { policy: 'later', mode: 'both', from: 'zero' };
const inHelium: Action = { do: 'insert', side: 'helium', table: 'region', logged: true };
const inJourney: Action = { do: 'insert', side: 'journey', table: 'region', logged: true };
const rest: Action = { do: 'rest' };
const copyHelium: Action = { do: 'copy', side: 'helium' };
const copyJourney: Action = { do: 'copy', side: 'journey' };
const rename = (side: 'helium' | 'journey'): Action => ({
  do: 'edit',
  side,
  table: 'region',
  nth: 0,
  column: 'name',
  logged: true,
});

/** A record on both sides and a copy of one side, and then what the copy does not have. */
const madeAfterHeliumCopy = [inHelium, rest, copyHelium, inJourney, rest];
const editedAfterHeliumCopy = [inHelium, rest, copyHelium, inJourney, rename('journey'), rest];
const madeAfterJourneyCopy = [inJourney, rest, copyJourney, inHelium, rest];

/** By what stays. */
export const restoreExamples: Readonly<Record<string, Play>> = {
  'a record that a device made after the backup of a schema that is dropped and restored': {
    setup: twoWay,
    actions: [...editedAfterHeliumCopy, { do: 'restore Helium', numbers: 'behind', how: 'schema, noticed' }],
  },
  'a record made after the backup of rows that are restored with as many new ones': {
    setup: twoWay,
    actions: [...madeAfterHeliumCopy, { do: 'restore Helium', numbers: 'equal', how: 'rows' }],
  },
  'a record made after the backup of rows that are restored with more new ones than the log had': {
    setup: twoWay,
    actions: [...madeAfterHeliumCopy, { do: 'restore Helium', numbers: 'past', how: 'rows' }],
  },
  'an edit made after the backup of a stopped integration': {
    setup: twoWay,
    actions: [
      inHelium,
      copyHelium,
      rename('helium'),
      rest,
      { do: 'stop' },
      { do: 'restore Helium', numbers: 'behind', how: 'rows' },
    ],
  },
  'what Journey received without an answer, and Helium lost by a restore to before it': {
    setup: twoWay,
    actions: [
      inHelium,
      rest,
      copyHelium,
      { do: 'stop during a call', nth: 0, isReceived: true },
      { do: 'restore Helium', numbers: 'behind', how: 'rows' },
    ],
  },
  'what a device wrote before the change log was cleared, in Journey → Helium only': {
    setup: { ...twoWay, mode: 'to Helium', policy: 'journey' },
    actions: [
      inJourney,
      rest,
      copyHelium,
      { do: 'edit', side: 'journey', table: 'region', nth: 0, column: 'code', logged: true },
      { do: 'clear log' },
      rest,
      { do: 'restore Helium', numbers: 'past', how: 'rows' },
    ],
  },
  'everything after the whole database was restored with the state of the engine': {
    setup: twoWay,
    actions: [...editedAfterHeliumCopy, { do: 'restore Helium', numbers: 'behind', how: 'database' }],
  },
  "a record made after Journey's backup": {
    setup: twoWay,
    actions: [...madeAfterJourneyCopy, { do: 'restore Journey', numbers: 'behind' }],
  },
  "a record made after Journey's backup, when the op-log has as many entries as before": {
    setup: twoWay,
    actions: [...madeAfterJourneyCopy, { do: 'restore Journey', numbers: 'equal' }],
  },
  "a record made after Journey's backup, when the op-log has more entries than before": {
    setup: twoWay,
    actions: [...madeAfterJourneyCopy, { do: 'restore Journey', numbers: 'past' }],
  },
  'a record that was read from a deployment that is restored, in Journey → Helium only': {
    setup: { ...twoWay, mode: 'to Helium' },
    actions: [copyJourney, inJourney, rest, { do: 'restore Journey', numbers: 'behind' }],
  },
  'a record whose object type was listed empty during a comparison': {
    setup: twoWay,
    actions: [inJourney, inHelium, { do: 'empty list', during: 'comparison' }],
  },
  'a record whose object type was listed empty while everything was read from version 0': {
    setup: twoWay,
    actions: [inJourney, inHelium, { do: 'empty list', during: 'version 0' }],
  },
  'what only Journey has when Helium → Journey starts': {
    setup: { ...twoWay, mode: 'to Journey' },
    actions: [{ do: 'insert on both sides' }, rest],
  },
  'what only Journey has when the op-log is read from a given version': {
    setup: { ...twoWay, from: 'half' },
    actions: [{ do: 'insert on both sides' }, rest],
  },
  'what both sides have when the schema of the engine is lost': {
    setup: twoWay,
    actions: [inHelium, inJourney, rest, { do: 'lose state' }],
  },
  'what both sides have when the whole database is restored after the schema of the engine was lost': {
    setup: twoWay,
    actions: [
      ...madeAfterHeliumCopy,
      { do: 'lose state' },
      { do: 'restore Helium', numbers: 'behind', how: 'database' },
    ],
  },
};

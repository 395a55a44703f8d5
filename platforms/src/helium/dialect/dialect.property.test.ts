import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAppConfig, writeAppConfig } from './app-config.ts';
import { readAppList } from './app-list.ts';
import { heliumDialect } from './dialect.config.ts';
import { writeFields } from './fields.ts';
import { writePath } from './json-path.ts';
import { readScheduledEvents, writeEvent, writeState } from './scheduled-events.ts';

const position = fc.constantFrom('$', 'content', 'data.items');
const word = fc.stringMatching(/^[a-z]{1,8}$/);
const nameOrPath = fc.oneof(
  word,
  fc.tuple(word, word).map(([one, other]) => `inner_${one}.${other}`),
);

/** Different names for the fields, some of them inside other fields. */
const names = <Name extends string>(...ours: Name[]) =>
  fc
    .uniqueArray(nameOrPath, { minLength: ours.length, maxLength: ours.length })
    .map((theirs) => Object.fromEntries(ours.map((name, index) => [name, theirs[index] ?? name])));

const spellings = fc.constantFrom([true, false], ['ENABLED', 'DISABLED'], [1, 0], ['false', 'true']);
const flag = spellings.map(([yes, no]) => ({ yes, no }));
const configFields = [
  'processEntryPointTimeouts',
  'maxDatabaseResults',
  'disabled',
  'disabledMessage',
  'locked',
  'lockedMessage',
] as const;

const dialect = fc
  .record({
    appList: fc.record({ list: position, fields: names('id', 'name', 'fqdn', 'schemaName') }),
    appConfig: fc.record({
      object: position,
      fields: names(...configFields),
      write: fc.record({ style: fc.constant<'whole'>('whole') }),
      timeouts: fc.record({
        unit: fc.constantFrom('minutes', 'seconds', 'milliseconds'),
        form: fc.constantFrom('object', 'list'),
        fields: names('entryPoint', 'timeout'),
      }),
      disabled: flag,
      locked: flag,
    }),
    scheduledEvents: fc.record({
      list: position,
      fields: fc.oneof(
        names('schedule', 'unit', 'event', 'state'),
        names('schedule', 'unit', 'state').map((fields) => ({ ...fields, event: fields.unit })),
      ),
      write: fc.record({ style: fc.constant<'whole'>('whole') }),
      states: spellings.map(([enabled, disabled]) => ({ enabled, disabled })),
    }),
  })
  .map((input) => heliumDialect.parse(input));

const minutes = fc.integer({ min: 1, max: 100_000 });
const message = fc.option(fc.string({ minLength: 1 }));
const config = fc.record({
  processEntryPointTimeouts: fc.dictionary(fc.constantFrom('A:a', 'B:b', 'constructor:c'), minutes),
  maxDatabaseResults: minutes,
  disabled: fc.boolean(),
  disabledMessage: message,
  locked: fc.boolean(),
  lockedMessage: message,
});
const app = fc.record({
  id: fc.uuid(),
  name: fc.string({ minLength: 1 }),
  fqdn: fc.string(),
  schemaName: fc.string({ minLength: 1 }),
});
const part = fc.stringMatching(/^[A-Za-z]\w{0,9}$/);
const event = fc.record({
  schedule: fc.string(),
  unit: part,
  event: part,
  state: fc.constantFrom('Enabled', 'Disabled'),
});
const events = fc.uniqueArray(event, {
  minLength: 1,
  selector: (each) => `${each.unit}:${each.event}`,
});

describe('dialect', () => {
  it('an app list that is written in any dialect reads the same', () => {
    fc.assert(
      fc.property(dialect, fc.array(app), ({ appList }, apps) => {
        const list = apps.map((each) => writeFields(appList.fields, each));
        expect(readAppList(appList, writePath({}, appList.list, list))).toEqual({ entries: apps, skipped: [] });
      }),
    );
  });

  it('an app configuration that is written in any dialect reads the same', () => {
    fc.assert(
      fc.property(dialect, config, ({ appConfig }, written) => {
        const empty = writePath({}, appConfig.object, {});
        const document = writeAppConfig(appConfig, written, empty);
        expect(readAppConfig(appConfig, document)).toEqual({ ...written, skipped: [], otherFields: [] });
      }),
    );
  });

  it('a change of one setting leaves all others as they are, including unknown ones', () => {
    const withUnknown = (dialectPosition: string, document: unknown) =>
      writePath(document, dialectPosition === '$' ? 'Unknown' : `${dialectPosition}.Unknown`, { kept: [1, 'two'] });
    fc.assert(
      fc.property(dialect, config, minutes, ({ appConfig }, written, changed) => {
        const empty = writePath({}, appConfig.object, {});
        const before = withUnknown(appConfig.object, writeAppConfig(appConfig, written, empty));
        const after = writeAppConfig(appConfig, { processEntryPointTimeouts: { 'A:a': null, 'D:d': changed } }, before);
        const { 'A:a': _, ...others } = written.processEntryPointTimeouts;
        const timeouts = { ...others, 'D:d': changed };
        expect(readAppConfig(appConfig, after)).toEqual({
          ...written,
          processEntryPointTimeouts: timeouts,
          skipped: [],
          otherFields: [appConfig.object === '$' ? 'Unknown' : `${appConfig.object}.Unknown`],
        });
        expect(withUnknown(appConfig.object, after)).toEqual(after);
      }),
    );
  });

  it('scheduled functions that are written in any dialect read the same', () => {
    fc.assert(
      fc.property(dialect, events, ({ scheduledEvents }, written) => {
        const list = written.map((each) => writeEvent(scheduledEvents, each));
        const document = writePath({}, scheduledEvents.list, list);
        expect(readScheduledEvents(scheduledEvents, document)).toEqual({ entries: written, skipped: [] });
      }),
    );
  });

  it('a toggle changes nothing of a function but its state', () => {
    fc.assert(
      fc.property(dialect, events, ({ scheduledEvents }, written) => {
        const list = written.map((each) => ({ ...writeEvent(scheduledEvents, each), Unknown: 7 }));
        const [first] = written;
        if (first === undefined) return;
        const changed = { ...first, state: first.state === 'Enabled' ? 'Disabled' : 'Enabled' } as const;
        const body = writeState(scheduledEvents, changed, writePath({}, scheduledEvents.list, list));
        expect(body).toEqual({ ...writeEvent(scheduledEvents, changed), Unknown: 7 });
      }),
    );
  });
});

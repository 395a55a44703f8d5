import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { needsCurrentConfig, readAppConfig, writeAppConfig } from './app-config.ts';
import { readAppList } from './app-list.ts';
import { heliumDialect } from './dialect.config.ts';
import { writeFields } from './fields.ts';
import { isJsonObject, readPath, writePath } from './json-path.ts';
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

/** The names of a function's fields; one field may have both its unit and its event. */
const functionNames = (...others: string[]) =>
  fc.oneof(
    names('unit', 'event', ...others),
    names('unit', ...others).map((fields) => ({ ...fields, event: fields.unit })),
  );

const dialectWith = (style: 'merge' | 'whole') =>
  fc
    .record({
      appList: fc.record({ list: position, fields: names('id', 'name', 'fqdn', 'schemaName') }),
      appConfig: fc.record({
        object: position,
        fields: names(...configFields),
        write: fc.constant({ style }),
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
        fields: functionNames('schedule', 'state'),
        write: functionNames('state').map((fields) => ({ style, fields })),
        states: spellings.map(([enabled, disabled]) => ({ enabled, disabled })),
      }),
    })
    .map((input) => heliumDialect.parse(input));
const dialect = dialectWith('whole');

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

const withUnknown = (dialectPosition: string, document: unknown) =>
  writePath(document, dialectPosition === '$' ? 'Unknown' : `${dialectPosition}.Unknown`, { kept: [1, 'two'] });

/** Applies an RFC 7396 merge patch. */
function merge(document: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(document) ? document : {}));
  for (const [name, value] of Object.entries(patch))
    if (value === null) merged.delete(name);
    else merged.set(name, merge(merged.get(name), value));
  return Object.fromEntries(merged);
}

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

  it('a merged change of some settings sends no others, and leaves them as they are', () => {
    fc.assert(
      fc.property(dialectWith('merge'), config, minutes, fc.boolean(), ({ appConfig }, written, changed, locked) => {
        const { object, fields } = appConfig;
        const whole = { ...appConfig, write: { ...appConfig.write, style: 'whole' as const } };
        const before = withUnknown(object, writeAppConfig(whole, written, writePath({}, object, {})));
        const patch = { processEntryPointTimeouts: { 'A:a': null, 'D:d': changed }, locked, lockedMessage: null };
        const body = writeAppConfig(appConfig, patch, needsCurrentConfig(appConfig, patch) ? before : undefined);
        const after = merge(before, body);
        const { 'A:a': _, ...others } = written.processEntryPointTimeouts;
        expect(readAppConfig(appConfig, after)).toEqual({
          ...written,
          processEntryPointTimeouts: { ...others, 'D:d': changed },
          locked,
          lockedMessage: null,
          skipped: [],
          otherFields: [object === '$' ? 'Unknown' : `${object}.Unknown`],
        });
        expect(withUnknown(object, after)).toEqual(after);
        const sent = configFields.filter((name) => readPath(readPath(body, object), fields[name]) !== undefined);
        expect(sent).toEqual(['processEntryPointTimeouts', 'locked', 'lockedMessage']);
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

  it('a merged toggle sends the name and the state of a function under their names in the call', () => {
    fc.assert(
      fc.property(dialectWith('merge'), event, ({ scheduledEvents }, { unit, event: name, state }) => {
        const body = writeState(scheduledEvents, { unit, event: name, state });
        const asList = { ...scheduledEvents, list: '$', fields: { ...scheduledEvents.write.fields, schedule: 'None' } };
        const { entries } = readScheduledEvents(asList, [body]);
        expect(entries).toEqual([{ schedule: '', unit, event: name, state }]);
      }),
    );
  });
});

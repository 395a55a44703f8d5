import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getChanges } from './changes.ts';
import { storedConfig } from './draft.fixture.ts';
import { paths, rebase, toConfig, toDraft, withEnrollment } from './draft.ts';

const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/);
const config = fc
  .record({
    enabled: fc.boolean(),
    userName: fc.string({ maxLength: 20 }),
    tables: fc.array(name),
    types: fc.array(name),
  })
  .map(({ enabled, userName, tables, types }) =>
    storedConfig({
      enabled,
      journey: { ...storedConfig().journey, restAPICredentials: { userName, password: '' } },
      heliumToJourney: { changeLogMinVersionAsString: '9223372036854775807', changeLogSkipTables: tables },
      journeyToHelium: { oplogMinVersionAsString: '0', oplogSkipObjectTypes: types },
    }),
  );

describe('sync form draft', () => {
  it('converts back to the configuration it was made from', () => {
    fc.assert(
      fc.property(config, (config) => {
        expect(toConfig(toDraft(config), config.basedOn)).toEqual({ config });
      }),
    );
  });

  it('shows any text typed into any text field as it is before it is saved', () => {
    const stored = toDraft(storedConfig());
    const choices = ['conflictPolicy', `${paths.enrollment}.type`, paths.password];
    const fields = Object.keys(stored).filter((path) => typeof stored[path] === 'string' && !choices.includes(path));
    const names = ['user', 'session', 'later', 'helium', 'journey', ...Object.getOwnPropertyNames(Object.prototype)];
    const text = fc.oneof(fc.constantFrom(...names), fc.string({ minLength: 1 }));
    fc.assert(
      fc.property(fc.constantFrom(...fields), text, (path, typed) => {
        fc.pre(typed !== stored[path]);
        expect(getChanges(stored, { ...stored, [path]: typed })).toMatchObject([{ path, after: typed }]);
      }),
    );
  });

  it('converts the percentage of deletions; an empty text stands for the default', () => {
    const draft = toDraft(storedConfig());
    const read = (maxDeletedPercent: string) => toConfig({ ...draft, maxDeletedPercent }, null);
    expect(read('')).toEqual(toConfig(draft, null));
    expect(read(' 12 ')).toMatchObject({ config: { maxDeletedPercent: 12 } });
    expect(toDraft(storedConfig({ maxDeletedPercent: 12 }))).toMatchObject({ maxDeletedPercent: '12' });
    const problems = [{ field: 'maxDeletedPercent', reason: 'must be a whole number from 0 to 100' }];
    for (const text of ['101', '1.5', '-1', 'five', '1e1']) expect(read(text)).toEqual({ problems });
  });

  it('merges the edits of two users when they are in different fields', () => {
    fc.assert(
      fc.property(config, config, fc.constantFrom('enabled', paths.userName, paths.skipTables), (one, other, mine) => {
        const [base, next] = [toDraft(one), toDraft(other)];
        const draft = { ...base, [mine]: mine === 'enabled' ? !one.enabled : 'changed' };
        const rebased = rebase(base, draft, next);
        expect(rebased).toEqual({ ...next, ...(draft[mine] !== base[mine] && { [mine]: draft[mine] }) });
      }),
    );
  });
});

describe('rebased sync form draft', () => {
  const other = { type: 'session', enabled: true, sessionObjectName: 'S', sessionContainerObjectName: 'C' } as const;
  const session = {
    ...other,
    heliumObjectName: 'Nurse',
    journeyObjectName: 'nurse',
    updateIntervalMins: 5,
    sessionObjectFieldNames: { stateFieldName: 'state' },
    sessionContainerObjectFieldNames: {},
  };
  const base = toDraft(storedConfig());

  it('keeps the whole enrollment of the mode its user has chosen', () => {
    const draft = withEnrollment(base, session);
    const next = toDraft(storedConfig({ enabled: false }));
    expect(toConfig(rebase(base, draft, next), null)).toMatchObject({
      config: { enabled: false, journeyToHeliumEnrollment: session },
    });
  });

  it('takes the enrollment of the mode another user has chosen and drops name edits of the former mode', () => {
    const draft = { ...base, [`${paths.enrollment}.enrolledFieldName`]: 'is_enrolled' };
    const next = toDraft(storedConfig({ journeyToHeliumEnrollment: session }));
    expect(rebase(base, draft, next)).toEqual(next);
  });
});

it('keeps the stored password unless a new one is typed', () => {
  const draft = toDraft(storedConfig());
  expect(draft[paths.password]).toBe('');
  const typed = toConfig({ ...draft, [paths.password]: 'new' }, null);
  expect(typed).toMatchObject({ config: { journey: { restAPICredentials: { password: 'new' } } } });
});

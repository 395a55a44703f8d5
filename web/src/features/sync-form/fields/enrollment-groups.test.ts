import {
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
  sessionUserFieldHints,
  userFieldHints,
} from '@portal/contract/sync/enrollment';
import { expect, it } from 'vitest';
import { getAttributeLabel, getLabel } from '../../../sync/field-labels.ts';
import { enrollmentGroups } from './enrollment-groups.ts';

const withPrefix = (prefix: string, hints: object) => Object.keys(hints).map((name) => `${prefix}${name}`);

it.each([
  ['user', withPrefix('', userFieldHints)],
  [
    'session',
    [
      ...withPrefix('', sessionUserFieldHints),
      ...withPrefix('sessionObjectFieldNames.', sessionObjectFieldHints),
      ...withPrefix('sessionContainerObjectFieldNames.', sessionContainerObjectFieldHints),
    ],
  ],
] as const)('shows every field name of the mode %s exactly once', (mode, names) => {
  const shown = enrollmentGroups[mode].flatMap(({ fields, advanced }) => [...fields, ...advanced]);
  expect(shown.map(({ path }) => path).sort()).toEqual([...names].sort());
});

it('labels attributes in plain words', () => {
  expect(getAttributeLabel('sessionObjectFieldNames.labelFieldname')).toBe('Label');
  expect(getAttributeLabel('performReEnrollmentFieldName')).toBe('Perform re-enrollment');
  expect(getAttributeLabel('deviceOsFieldName')).toBe('Device OS');
  expect(getLabel('journeyToHeliumEnrollment.sessionObjectFieldNames.heliumObjectFkFieldName')).toBe(
    'Session: Helium object foreign key',
  );
});

import { expect, test } from 'vitest';
import { paths } from './draft.ts';
import { clearUnsaved, getUnsaved, storeUnsaved } from './unsaved.ts';

const base = { [paths.userName]: 'sync', [paths.password]: '' };
const draft = { [paths.userName]: 'other', [paths.password]: 'secret' };

test('what was typed is there for the same form again, without the password, until it is forgotten', () => {
  storeUnsaved('demo, Clinic Visits', base, draft);
  expect(getUnsaved('demo, Stock Room')).toBeNull();
  expect(getUnsaved('sipho, Clinic Visits')).toBeNull();
  expect(getUnsaved('demo, Clinic Visits')).toMatchObject({ base, draft: { ...draft, [paths.password]: '' } });
  clearUnsaved();
  expect(getUnsaved('demo, Clinic Visits')).toBeNull();
});

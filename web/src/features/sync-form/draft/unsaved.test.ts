import { expect, test } from 'vitest';
import { paths } from './draft.ts';
import { clearUnsaved, getUnsaved, storeUnsaved } from './unsaved.ts';

const base = { [paths.userName]: 'sync', [paths.password]: '' };
const draft = { [paths.userName]: 'other', [paths.password]: 'secret' };

test('restores the unsaved draft of the same form, without its password, until it is cleared', () => {
  storeUnsaved('demo, Clinic Visits', base, draft);
  expect(getUnsaved('demo, Stock Room')).toBeNull();
  expect(getUnsaved('sipho, Clinic Visits')).toBeNull();
  expect(getUnsaved('demo, Clinic Visits')).toMatchObject({ base, draft: { ...draft, [paths.password]: '' } });
  clearUnsaved();
  expect(getUnsaved('demo, Clinic Visits')).toBeNull();
});

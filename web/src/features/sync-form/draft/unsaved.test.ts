import { expect, test } from 'vitest';
import { paths } from './draft.ts';
import { forgetUnsaved, keepUnsaved, unsavedOf } from './unsaved.ts';

const base = { [paths.userName]: 'sync', [paths.password]: '' };
const draft = { [paths.userName]: 'other', [paths.password]: 'secret' };

test('what was typed is there for the same form again, without the password, until it is forgotten', () => {
  keepUnsaved('demo, Clinic Visits', base, draft);
  expect(unsavedOf('demo, Stock Room')).toBeNull();
  expect(unsavedOf('sipho, Clinic Visits')).toBeNull();
  expect(unsavedOf('demo, Clinic Visits')).toMatchObject({ base, draft: { ...draft, [paths.password]: '' } });
  forgetUnsaved();
  expect(unsavedOf('demo, Clinic Visits')).toBeNull();
});

import { expect, test } from 'vitest';
import { absentRecord } from '../../../record/record-state.fixture.ts';
import { seeFile } from '../../../record/waiting-file.ts';
import { trackFiles } from './tracked.ts';

const map = {
  table: 'visit',
  model: 'visit',
  toHelium: true,
  toJourney: true,
  fields: [{ column: 'photo', field: 'photo', kind: 'blob' as const }],
};
const key = { table: 'visit', id: '11111111-1111-4111-8111-111111111111' };
const timing = { nowMs: 2000, backoff: { initialMs: 1, maxMs: 1 } };
const value = `sha256:${'a'.repeat(64)}/field.jpg`;
const seen = (id: string) => ({ id, url: `/${id}`, state: 'uploaded' });
const intent = { number: 1, method: 'patch' as const, fields: { photo: value }, stage: 'sent' as const, row: null };
const known = { ...absentRecord, journey: { photo: null }, intents: [intent], listedAtMs: null, missing: null };
const entry = {
  sequence: '2',
  key,
  operation: 'update' as const,
  fields: { photo: value },
  changedAtMs: 2000,
  attachments: { photo: seen('ours') },
};
const waiting = (id: string) => new Map([['photo', seeFile(undefined, seen(id), { ...timing, changedAtMs: 1000 })]]);

test('reports a file of a device that our own write has replaced', () => {
  const { replaced, settled } = trackFiles(map, { entries: [entry], known }, waiting('theirs'), timing);
  expect(replaced).toMatchObject([{ conflict: { column: 'photo', helium: value, journey: 'theirs' } }]);
  expect(settled).toEqual(['photo']);
});

test('does not take a file of our own that waits for one that our own write has replaced', () => {
  const { replaced, settled } = trackFiles(map, { entries: [entry], known }, waiting('ours'), timing);
  expect(replaced).toEqual([]);
  expect(settled).toEqual(['photo']);
});

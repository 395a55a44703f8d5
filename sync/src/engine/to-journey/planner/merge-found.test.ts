import { expect, it } from 'vitest';
import { KeyMap } from '../../../record/record-key.ts';
import { absentRecord } from '../../../sync-state/records.store.ts';
import { mergeFound } from './merge-found.ts';

const key = { table: 'region', id: '5f0c8c1e-0000-4000-8000-000000000001' };
const field = { kind: 'integer', field: '' } as const;
const region = {
  table: 'region',
  model: 'region',
  fields: [
    { ...field, column: 'code' },
    { ...field, column: 'rank' },
  ],
  toJourney: true,
  toHelium: true,
};
const context = { mapping: { objects: [region], notes: [], fingerprint: '' }, isTwoWay: true };
const merge = (journey: Record<string, number>, helium: Record<string, number | null>, found = new KeyMap<never>()) => {
  const known = { ...absentRecord, journey };
  return mergeFound(context, { key, known, helium }, { completeTables: ['region'], found })?.known.journey;
};

it('looks up a record before it sends the value of a column of which nothing is known', () => {
  expect(merge({ code: 1 }, { code: 1, rank: 3 })).toBeUndefined();
});

it('looks up nothing for a column that Helium has no value for, or that is known', () => {
  expect(merge({ code: 1 }, { code: 2, rank: null })).toEqual({ code: 1 });
  expect(merge({ code: 1, rank: 2 }, { code: 1, rank: 3 })).toEqual({ code: 1, rank: 2 });
});

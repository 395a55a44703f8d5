import { expect, test } from 'vitest';
import { RefusedWrites } from './refused-writes.ts';

const write = 'insert of region';

test('counts a write as always refused after a hundred records with one code, and reports it once', () => {
  const writes = new RefusedWrites();
  expect(writes.recordRefused(write, 'P0001', 60)).toEqual({ isAlways: false, isNew: false });
  expect(writes.recordRefused(write, 'P0001', 40)).toEqual({ isAlways: true, isNew: true });
  expect(writes.recordRefused(write, 'P0001', 1)).toEqual({ isAlways: true, isNew: false });
  expect(writes.recordRefused('update of region', 'P0001', 1)).toEqual({ isAlways: false, isNew: false });
});

test('counts from the start when a record is accepted or another code is raised', () => {
  const writes = new RefusedWrites();
  writes.recordRefused(write, 'P0001', 99);
  writes.recordAccepted(write, 5);
  expect(writes.recordRefused(write, 'P0001', 1)).toEqual({ isAlways: false, isNew: false });
  writes.recordRefused(write, 'P0001', 98);
  expect(writes.recordRefused(write, '42501', 1)).toEqual({ isAlways: false, isNew: false });
  expect(writes.getAcceptedAtMs(write)).toBe(5);
  expect(writes.getAcceptedAtMs('update of region')).toBe(0);
});

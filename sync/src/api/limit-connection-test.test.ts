import { viewNoteReason } from '@portal/contract/sync/config';
import { describe, expect, it } from 'vitest';
import { bothReached } from '../scripted-engine.fixture.ts';
import { limitConnectionTest } from './limit-connection-test.ts';

type Note = ReturnType<typeof limitConnectionTest>['notes'][number];

const createNotes = (count: number, severity: Note['severity'], reason: string): Note[] =>
  Array.from({ length: count }, (_, at) => ({ severity, object: `object_${at}`, field: null, reason }));
const createProblems = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ field: 'helium.dbSchema', reason: `object_${at} cannot be synced` }));

describe('limited connection test', () => {
  it('leaves a usual result unchanged', () => {
    const test = {
      ...bothReached,
      problems: createProblems(20),
      notes: createNotes(1_000, 'left-out', 'Not tracked.'),
    };
    expect(limitConnectionTest(test)).toEqual(test);
  });

  it('has 20 problems, and the number of the others', () => {
    const { problems } = limitConnectionTest({ ...bothReached, problems: createProblems(1_020) });
    expect(problems).toEqual([...createProblems(20), { field: 'config', reason: 'and 1000 more' }]);
  });

  it('has a thousand notes, those on rejected objects and on views first, and the number of the others', () => {
    const notes = [
      ...createNotes(1_500, 'left-out', 'Not tracked.'),
      ...createNotes(500, 'left-out', viewNoteReason),
      ...createNotes(300, 'refused', 'Not supported.'),
    ];
    expect(limitConnectionTest({ ...bothReached, notes }).notes).toEqual([
      ...createNotes(300, 'refused', 'Not supported.'),
      ...createNotes(500, 'left-out', viewNoteReason),
      ...createNotes(200, 'left-out', 'Not tracked.'),
      { severity: 'left-out', object: '1300 more', field: null, reason: 'They are not listed here.' },
    ]);
  });
});

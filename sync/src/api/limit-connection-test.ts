import type { ResponseOf } from '@portal/contract/endpoint';
import { type testConnection, viewNoteReason } from '@portal/contract/sync/config';
import { maxFaults } from '@portal/kit/describe-faults';

type ConnectionTest = ResponseOf<typeof testConnection>;
type Note = ConnectionTest['notes'][number];

/** All views that fit into a list of skip tables are among them. */
const maxNotes = 1_000;

/**
 * Limits the problems and notes of a result. An additional last one has the number of the others.
 * The least important notes are left out first.
 */
export function limitConnectionTest(test: ConnectionTest): ConnectionTest {
  const { problems } = test;
  const notes = test.notes.toSorted((a, b) => getRank(a) - getRank(b));
  const otherProblems = problems.length - maxFaults;
  const otherNotes = notes.length - maxNotes;
  return {
    ...test,
    problems: [
      ...problems.slice(0, maxFaults),
      ...(otherProblems > 0 ? [{ field: 'config', reason: `and ${otherProblems} more` }] : []),
    ],
    notes: [...notes.slice(0, maxNotes), ...(otherNotes > 0 ? [toLastNote(otherNotes)] : [])],
  };
}

function getRank({ severity, reason }: Note): number {
  if (severity !== 'left-out') return severity === 'refused' ? 0 : 1;
  return reason === viewNoteReason ? 2 : 3;
}

function toLastNote(others: number): Note {
  return { severity: 'left-out', object: `${others} more`, field: null, reason: 'They are not listed here.' };
}

import { describe, expect, test } from 'vitest';
import { scheduleFor } from '../schedule/schedule.fixture.ts';
import { emptyDraft, toDraftFields } from './draft.ts';
import { draftDifferences, draftFacts } from './draft-facts.ts';

const names = { product: 'Helium Apps', appName: (id: string) => id.toUpperCase() };
const getFacts = (changes = {}) => draftFacts(toDraftFields(scheduleFor(changes), 'Africa/Johannesburg'), names);

describe('draft facts', () => {
  test('describe every field in words, including empty ones', () => {
    const facts = new Map(getFacts().map(({ name, text }) => [name, text]));
    expect(facts.get('Helium Apps')).toBe('A1, A2');
    expect(facts.get('Release Description')).toBe('DEPLOY_Health_20261124');
    expect(facts.get('Deployment Date')).toBe('2026-11-24 18:00:00');
    const empty = new Map(draftFacts(emptyDraft.fields, names).map(({ name, text }) => [name, text]));
    expect(empty.get('Developer Team')).toBe('–');
    expect(empty.get('Instructions')).toBe('None');
  });

  test("list the differences from another user's draft", () => {
    expect(draftDifferences(getFacts(), getFacts())).toEqual([]);
    expect(draftDifferences(getFacts(), getFacts({ team: 'Farm', instructions: 'Lock first' }))).toEqual([
      { field: 'Developer Team', mine: 'Team Health', theirs: 'Farm' },
      { field: 'Instructions', mine: 'None', theirs: 'Lock first' },
    ]);
  });
});

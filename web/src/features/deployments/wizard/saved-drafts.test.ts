import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { scheduleFor } from '../schedule/schedule.fixture.ts';
import { type Draft, draftToUpdate } from './draft.ts';
import { deleteDraft, readDrafts, saveDraft } from './saved-drafts.ts';

const key = 'deployment-drafts.Production.demo';
const complete: Draft = { ...draftToUpdate(scheduleFor(), 'Africa/Johannesburg'), changedAt: 1 };
const storage = new Map<string, string>();

beforeEach(() => {
  storage.clear();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => storage.get(name) ?? null,
    setItem: (name: string, value: string) => storage.set(name, value),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Stores drafts the way an older version of the page did. */
function storeDrafts(drafts: object): void {
  storage.set(`portal.${key}`, JSON.stringify(drafts));
}

describe('saved drafts', () => {
  test('read drafts from before a field existed with its default', () => {
    const { instructions, jiraProject, appIds, ...older } = complete.fields;
    storeDrafts({ new: { ...complete, fields: older }, 'update-7': complete });
    expect(readDrafts(key)).toEqual({
      new: { ...complete, fields: { ...older, instructions: '', jiraProject: null, appIds: [] } },
      'update-7': complete,
    });
  });

  test('skip only the unreadable drafts, also when another one is saved or deleted', () => {
    storeDrafts({ new: { ...complete, step: 9 }, 'update-7': complete, 'clone-8': null });
    expect(readDrafts(key)).toEqual({ 'update-7': complete });
    saveDraft(key, 'clone-9', complete);
    expect(readDrafts(key)).toEqual({ 'update-7': complete, 'clone-9': complete });
    deleteDraft(key, 'update-7');
    expect(readDrafts(key)).toEqual({ 'clone-9': complete });
  });

  test('returns no drafts when something else is stored under their key', () => {
    for (const other of [[], 'text', 7, null]) {
      storage.set(`portal.${key}`, JSON.stringify(other));
      expect(readDrafts(key)).toEqual({});
    }
  });
});

import { findReleaseError, findSelectionError, wizardSentences } from '@portal/contract/deployments-rules';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scheduleFor } from '../schedule/schedule.fixture.ts';
import {
  type DraftFields,
  draftSchema,
  draftToClone,
  draftToUpdate,
  emptyDraft,
  findDraftError,
  findField,
  findTagDayProblem,
  matchesPayload,
  readTagFields,
  toPayload,
  toRelease,
} from './draft.ts';

const timeZone = 'Africa/Johannesburg';
const prefix = 'https://bitbucket.org/acme/';
const rules = { prefix, timeZone, now: new Date('2026-11-20T08:00:00Z') };
const options = { environment: 'Production', timeZone, requestKey: 'once' };

describe('deployment draft', () => {
  test('updates a schedule with its values and expects the revision that was loaded', () => {
    const schedule = scheduleFor({ instructions: 'None', revision: 4 });
    const draft = draftToUpdate(schedule, timeZone);
    expect(draft.fields).toMatchObject({ deploymentDate: '2026-11-24 18:00:00', instructions: '' });
    expect(findDraftError(draft.fields, rules)).toBeNull();
    const payload = { ...draft.fields, deploymentDate: schedule.deploymentDate, instructions: 'None' };
    expect(toPayload(draft, options)).toEqual({
      ...payload,
      environment: 'Production',
      expected: 4,
      requestKey: 'once',
    });
  });

  test('clones a schedule without the date and the tag of the old one', () => {
    const draft = draftToClone(scheduleFor(), timeZone);
    expect(draft).toMatchObject({
      expected: null,
      fields: { deploymentDate: null, releaseTag: '', team: 'Team Health' },
    });
    expect(toPayload(draft, options)).toBeNull();
  });

  describe('with a tag', () => {
    const read = (changes: Partial<DraftFields>, former = {}) =>
      readTagFields({ ...emptyDraft.fields, ...changes }, former, { product: 'Helium Apps', timeZone, now: rules.now });
    const toTag = (name: string) => ({ releaseTag: `${prefix}health/commits/tag/${name}` });
    const said = {
      releaseGroup: 'clinic_visits',
      releaseName: 'Helium Apps - 20261124',
      deploymentDate: '2026-11-24 18:00:00',
    };

    test('fills in what the tag says', () => {
      expect(read(toTag('DEPLOY_clinic_visits_20261124'))).toEqual(said);
    });

    test.each([
      ['a weekend', '20261128', 'The tag says 2026-11-28, which is on a weekend. Choose another day.'],
      ['a day that is over', '20261119', 'The tag says 2026-11-19, which is in the past. Choose another day.'],
    ])('leaves the date empty for %s, and explains why', (_, day, reason) => {
      expect(read(toTag(`DEPLOY_clinic_${day}`))).toEqual({
        releaseGroup: 'clinic',
        releaseName: `Helium Apps - ${day}`,
      });
      expect(findTagDayProblem({ ...emptyDraft.fields, ...toTag(`DEPLOY_clinic_${day}`) }, rules)).toBe(reason);
    });

    test('offers no release name for a tag that does not end in a date, and explains why', () => {
      const tag = toTag('DEPLOY_clinic_20261301');
      expect(read(tag)).toEqual({ releaseGroup: 'clinic' });
      expect(findTagDayProblem({ ...emptyDraft.fields, ...tag }, rules)).toBe(
        'The tag ends in 20261301, which is not a date.',
      );
    });

    test('reports no problem for the day of a tag that was filled in or replaced', () => {
      const tag = toTag('DEPLOY_clinic_20261128');
      const replaced = { ...emptyDraft.fields, ...tag, deploymentDate: '2026-11-30 18:00:00' };
      expect(findTagDayProblem(replaced, rules)).toBeNull();
      expect(findTagDayProblem({ ...emptyDraft.fields, ...toTag('DEPLOY_clinic_20261124') }, rules)).toBeNull();
    });

    test('keeps what the user has entered, and replaces what the former tag said', () => {
      const other = toTag('DEPLOY_stock_20261125');
      expect(read({ ...other, ...said, releaseName: 'Mine' }, said)).toEqual({
        releaseGroup: 'stock',
        deploymentDate: '2026-11-25 18:00:00',
      });
      expect(read({ ...other, ...said })).toEqual({});
    });

    test('fills in nothing from another address', () => {
      for (const releaseTag of ['', prefix, `${prefix}commits/tag/v1`, 'DEPLOY_clinic_20261124'])
        expect(read({ releaseTag })).toEqual({});
    });
  });

  test('reports one error at a time, each for a field that can be focused', () => {
    const complete = draftToUpdate(scheduleFor(), timeZone).fields;
    const errors: [Partial<DraftFields>, string, keyof DraftFields][] = [
      [{ dataSource: null, team: null }, wizardSentences.dataSource, 'dataSource'],
      [{ team: null, jiraProject: null }, wizardSentences.team, 'team'],
      [{ jiraProject: null }, wizardSentences.jiraProject, 'jiraProject'],
      [{ appIds: [] }, wizardSentences.apps, 'appIds'],
      [{ releaseTag: `${prefix}health` }, wizardSentences.withoutTag, 'releaseTag'],
      [{ releaseName: ' ' }, wizardSentences.releaseName, 'releaseName'],
      [{ releaseGroup: '' }, wizardSentences.releaseGroup, 'releaseGroup'],
      [{ deploymentDate: null }, wizardSentences.deploymentDate, 'deploymentDate'],
      [{ deploymentDate: '2026-11-28 18:00:00' }, wizardSentences.weekend, 'deploymentDate'],
      [{ deploymentDate: '2026-11-19 18:00:00' }, wizardSentences.past, 'deploymentDate'],
    ];
    for (const [missing, sentence, field] of errors) {
      expect(findDraftError({ ...complete, ...missing }, rules)?.message).toBe(sentence);
      expect(findField(sentence, prefix), sentence).toBe(field);
    }
    const foreign = findDraftError({ ...complete, releaseTag: 'https://example.com/' }, rules);
    expect(foreign?.message).toContain(`It does not begin with ${prefix}.`);
    expect(findField(foreign?.message ?? null, prefix)).toBe('releaseTag');
    expect(findField('Something else.', prefix)).toBeNull();
  });

  test('allows saving exactly when neither step has an error', () => {
    const complete = draftToUpdate(scheduleFor(), timeZone).fields;
    const some = fc.record<DraftFields>({
      dataSource: fc.constantFrom(null, 'helium-app-1'),
      team: fc.constantFrom(null, 'Team Health'),
      jiraProject: fc.constantFrom(null, 'HEALTH'),
      appIds: fc.constantFrom<string[]>([], ['a1']),
      releaseTag: fc.constantFrom('', complete.releaseTag, 'https://example.com/'),
      releaseGroup: fc.constantFrom('', ' Health'),
      releaseName: fc.constantFrom('', 'Helium Apps - 20261124'),
      deploymentDate: fc.constantFrom(null, '2026-11-24 18:00:00', '2026-11-28 18:00:00', 'soon'),
      instructions: fc.constantFrom('', 'Lock first'),
    });
    fc.assert(
      fc.property(some, (fields) => {
        const isComplete =
          findSelectionError(fields) === null && findReleaseError(toRelease(fields, timeZone), rules) === null;
        expect(findDraftError(fields, rules) === null).toBe(isComplete);
        if (isComplete) expect(toPayload({ ...emptyDraft, fields }, options)).not.toBeNull();
      }),
    );
  });

  test('recognizes whether a saved schedule matches what was sent', () => {
    const saved = scheduleFor();
    const sent = toPayload(draftToUpdate(saved, timeZone), options);
    if (sent === null) throw new Error('the draft is complete');
    expect(matchesPayload(saved, sent)).toBe(true);
    expect(matchesPayload({ ...saved, deploymentDate: '2026-11-24T18:00:00+02:00' }, sent)).toBe(true);
    const others = [
      { releaseName: 'Another' },
      { instructions: 'Lock first' },
      { deploymentDate: '2026-11-24T16:00:01Z' },
      { appIds: ['a1'] },
      { appIds: ['a1', 'a3'] },
    ];
    for (const other of others) expect(matchesPayload({ ...saved, ...other }, sent), JSON.stringify(other)).toBe(false);
  });

  test('survives being stored and read again', () => {
    const draft = { ...draftToUpdate(scheduleFor(), timeZone), step: 2 as const, changedAt: 1 };
    expect(draftSchema.parse(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
    expect(draftSchema.safeParse({ ...draft, step: 3 }).success).toBe(false);
  });
});

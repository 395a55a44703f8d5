import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findReleaseError,
  findReleaseWarnings,
  findSelectionError,
  foreignUrlSentence,
  isWeekend,
  parseTag,
  wizardSentences,
} from './deployments-rules.ts';

const prefix = 'https://bitbucket.example.com/';
const tagged = (tag: string) => `${prefix}health/stock/commits/tag/${tag}`;
const zones = ['Africa/Johannesburg', 'America/New_York', 'Pacific/Auckland', 'Pacific/Apia', 'Asia/Kathmandu', 'UTC'];

/** Names a repository takes, odd ones too, as an address writes them. */
const tag = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019-_.+ %#?é/'), minLength: 1, maxLength: 40 })
  .filter((name) => name.trim() === name && !name.endsWith('/'));

describe('the tag of an address', () => {
  it('is what was written into it, whatever its name', () => {
    fc.assert(
      fc.property(tag, (name) => {
        expect(parseTag(tagged(encodeURIComponent(name)))).toBe(name);
      }),
    );
  });

  it('is the same with a slash, a question and a place behind it', () => {
    fc.assert(
      fc.property(tag, fc.constantFrom('', '/', '//', '?at=master', '#diff', '/?a=b#c', ' '), (name, end) => {
        expect(parseTag(tagged(encodeURIComponent(name)) + end)).toBe(name);
      }),
    );
  });

  it('never throws, and is never empty', () => {
    const address = fc.oneof(fc.string(), fc.string().map(tagged));
    fc.assert(
      fc.property(address, (text) => {
        expect(parseTag(text)).not.toBe('');
      }),
    );
    for (const name of ['100%', '%00', 'v1%0A', '%20']) expect(parseTag(tagged(name))).toBe(name);
    for (const text of ['', prefix, tagged(''), tagged('/'), tagged('?x')]) expect(parseTag(text)).toBeNull();
  });
});

const good = { releaseTag: tagged('v1'), releaseName: 'Stock', releaseGroup: 'stock' };
const long = new Date('2020-01-01T00:00:00Z');

function faultOf(deploymentDate: Date | null, timeZone: string, now: Date): string | null {
  return findReleaseError({ ...good, deploymentDate }, { prefix, timeZone, now });
}

/** Of clocks put forward and back, around New Year, and any other. */
const instant = fc
  .oneof(
    fc
      .constantFrom(
        '2026-03-08T07:00:00Z',
        '2026-11-01T06:00:00Z',
        '2026-04-04T14:00:00Z',
        '2026-09-26T14:00:00Z',
        '2027-01-01T00:00:00Z',
        '2028-01-01T10:00:00Z',
        '2027-12-31T22:00:00Z',
      )
      .chain((at) => fc.integer({ min: -72 * 60, max: 72 * 60 }).map((mins) => Date.parse(at) + mins * 60_000)),
    fc.integer({ min: Date.parse('2025-01-01T00:00:00Z'), max: Date.parse('2035-01-01T00:00:00Z') }),
  )
  .map((ms) => new Date(ms));

describe('the date of a deployment', () => {
  it('is never on a Saturday or Sunday of the zone, and may be on any other day', () => {
    fc.assert(
      fc.property(instant, fc.constantFrom(...zones), (date, timeZone) => {
        // Another way to the same day: the clock of the zone read as if it were Greenwich's.
        const [day = ''] = date.toLocaleString('sv-SE', { timeZone }).split(' ');
        const isFree = [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay());
        expect(isWeekend(date, timeZone)).toBe(isFree);
        expect(faultOf(date, timeZone, long)).toBe(isFree ? wizardSentences.weekend : null);
      }),
    );
  });

  it('is never before now, in no zone', () => {
    const ago = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
    fc.assert(
      fc.property(instant, ago, fc.constantFrom(...zones), (date, ms, timeZone) => {
        fc.pre(!isWeekend(date, timeZone));
        const now = new Date(date.getTime() + ms);
        expect(faultOf(date, timeZone, now)).toBe(ms > 0 ? wizardSentences.past : null);
      }),
    );
  });

  it('begins and ends its weekend by the clock of the zone, on both days a clock is changed', () => {
    // New York: Sunday 8 March 2026 has 23 hours, Sunday 1 November 25.
    for (const [before, first, last, after] of [
      ['2026-03-07T04:59:59Z', '2026-03-07T05:00:00Z', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z'],
      ['2026-10-31T03:59:59Z', '2026-10-31T04:00:00Z', '2026-11-02T04:59:59Z', '2026-11-02T05:00:00Z'],
    ] as const) {
      const isFree = (at: string) => isWeekend(new Date(at), 'America/New_York');
      expect([before, first, last, after].map(isFree)).toEqual([false, true, true, false]);
    }
  });

  it('is of the year the zone is in already', () => {
    // Midnight has been in Johannesburg, not in Greenwich.
    const deploymentDate = new Date('2026-12-31T22:30:00Z');
    const draft = { ...good, releaseTag: tagged('DEPLOY_stock_20270101'), deploymentDate };
    expect(findReleaseWarnings(draft, 'Africa/Johannesburg')).toEqual([]);
    expect(findReleaseWarnings(draft, 'UTC')).toEqual(['The tag is of 20270101, the deployment is on 20261231.']);
  });
});

describe('the first thing wrong', () => {
  it('is told in the specified order', () => {
    const whole = { dataSource: 'd', team: 't', jiraProject: 'p', appIds: ['a'] };
    expect(findSelectionError(whole)).toBeNull();
    expect(findSelectionError({ ...whole, appIds: [] })).toBe(wizardSentences.apps);
    expect(findSelectionError({ ...whole, jiraProject: null, appIds: [] })).toBe(wizardSentences.jiraProject);
    expect(findSelectionError({ ...whole, team: '', jiraProject: null })).toBe(wizardSentences.team);
    expect(findSelectionError({ dataSource: null, team: null, jiraProject: null, appIds: [] })).toBe(
      wizardSentences.dataSource,
    );
  });

  it('of a release, too', () => {
    const judge = { prefix, timeZone: 'UTC', now: long };
    const faults = [
      {
        releaseTag: 'https://elsewhere.example.com/commits/tag/v1',
        releaseName: '',
        releaseGroup: '',
        deploymentDate: null,
      },
      { releaseTag: prefix, releaseName: '', releaseGroup: '', deploymentDate: null },
      { ...good, releaseName: ' ', releaseGroup: '', deploymentDate: null },
      { ...good, releaseGroup: ' ', deploymentDate: null },
      { ...good, deploymentDate: new Date(Number.NaN) },
      { ...good, deploymentDate: new Date('2019-01-05T12:00:00Z') },
      { ...good, deploymentDate: new Date('2019-01-04T12:00:00Z') },
      { ...good, deploymentDate: new Date('2026-01-05T12:00:00Z') },
    ].map((draft) => findReleaseError(draft, judge));
    expect(faults).toEqual([
      foreignUrlSentence(prefix),
      wizardSentences.withoutTag,
      wizardSentences.releaseName,
      wizardSentences.releaseGroup,
      wizardSentences.deploymentDate,
      wizardSentences.weekend,
      wizardSentences.past,
      null,
    ]);
  });
});

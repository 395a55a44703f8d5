import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findReleaseError,
  findReleaseWarnings,
  findSelectionError,
  getForeignUrlSentence,
  isWeekend,
  parseTag,
  wizardSentences,
} from './deployments-rules.ts';

const prefix = 'https://bitbucket.example.com/';
const toTagUrl = (tag: string) => `${prefix}health/stock/commits/tag/${tag}`;
const zones = ['Africa/Johannesburg', 'America/New_York', 'Pacific/Auckland', 'Pacific/Apia', 'Asia/Kathmandu', 'UTC'];

/** Valid tag names, including unusual ones. */
const tag = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019-_.+ %#?é/'), minLength: 1, maxLength: 40 })
  .filter((name) => name.trim() === name && !name.endsWith('/'));

describe('tag in a URL', () => {
  it('parses every tag name back from its URL', () => {
    fc.assert(
      fc.property(tag, (name) => {
        expect(parseTag(toTagUrl(encodeURIComponent(name)))).toBe(name);
      }),
    );
  });

  it('ignores a slash, a query and a fragment after the tag name', () => {
    fc.assert(
      fc.property(tag, fc.constantFrom('', '/', '//', '?at=master', '#diff', '/?a=b#c', ' '), (name, end) => {
        expect(parseTag(toTagUrl(encodeURIComponent(name)) + end)).toBe(name);
      }),
    );
  });

  it('returns a non-empty name or null for any text, and never throws', () => {
    const address = fc.oneof(fc.string(), fc.string().map(toTagUrl));
    fc.assert(
      fc.property(address, (text) => {
        expect(parseTag(text)).not.toBe('');
      }),
    );
    for (const name of ['100%', '%00', 'v1%0A', '%20']) expect(parseTag(toTagUrl(name))).toBe(name);
    for (const text of ['', prefix, toTagUrl(''), toTagUrl('/'), toTagUrl('?x')]) expect(parseTag(text)).toBeNull();
  });
});

const good = { releaseTag: toTagUrl('v1'), releaseName: 'Stock', releaseGroup: 'stock' };
const longAgo = new Date('2020-01-01T00:00:00Z');

function findDateError(deploymentDate: Date | null, timeZone: string, now: Date): string | null {
  return findReleaseError({ ...good, deploymentDate }, { prefix, timeZone, now });
}

/** Instants near clock changes, near New Year, and arbitrary ones. */
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

describe('deployment date', () => {
  it('rejects a deployment on Saturday or Sunday of the time zone, and accepts any other day', () => {
    fc.assert(
      fc.property(instant, fc.constantFrom(...zones), (date, timeZone) => {
        // An independent way to the same day: read the local time of the zone as if it were UTC.
        const [day = ''] = date.toLocaleString('sv-SE', { timeZone }).split(' ');
        const isWeekendDay = [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay());
        expect(isWeekend(date, timeZone)).toBe(isWeekendDay);
        expect(findDateError(date, timeZone, longAgo)).toBe(isWeekendDay ? wizardSentences.weekend : null);
      }),
    );
  });

  it('rejects a deployment date before now in every time zone', () => {
    const ago = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
    fc.assert(
      fc.property(instant, ago, fc.constantFrom(...zones), (date, ms, timeZone) => {
        fc.pre(!isWeekend(date, timeZone));
        const now = new Date(date.getTime() + ms);
        expect(findDateError(date, timeZone, now)).toBe(ms > 0 ? wizardSentences.past : null);
      }),
    );
  });

  it('starts and ends the weekend at local midnight, also on both days of a clock change', () => {
    // New York: Sunday 8 March 2026 has 23 hours, Sunday 1 November has 25.
    for (const [before, first, last, after] of [
      ['2026-03-07T04:59:59Z', '2026-03-07T05:00:00Z', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z'],
      ['2026-10-31T03:59:59Z', '2026-10-31T04:00:00Z', '2026-11-02T04:59:59Z', '2026-11-02T05:00:00Z'],
    ] as const) {
      const isWeekendDay = (at: string) => isWeekend(new Date(at), 'America/New_York');
      expect([before, first, last, after].map(isWeekendDay)).toEqual([false, true, true, false]);
    }
  });

  it('compares the tag with the deployment date in the time zone of the environment', () => {
    // It is past midnight in Johannesburg, but not in UTC.
    const deploymentDate = new Date('2026-12-31T22:30:00Z');
    const draft = { ...good, releaseTag: toTagUrl('DEPLOY_stock_20270101'), deploymentDate };
    expect(findReleaseWarnings(draft, 'Africa/Johannesburg')).toEqual([]);
    expect(findReleaseWarnings(draft, 'UTC')).toEqual(['The tag says 20270101, but the deployment is on 20261231.']);
  });
});

describe('first error of a form', () => {
  it('reports the first selection error in the specified order', () => {
    const complete = { dataSource: 'd', team: 't', jiraProject: 'p', appIds: ['a'] };
    expect(findSelectionError(complete)).toBeNull();
    expect(findSelectionError({ ...complete, appIds: [] })).toBe(wizardSentences.apps);
    expect(findSelectionError({ ...complete, jiraProject: null, appIds: [] })).toBe(wizardSentences.jiraProject);
    expect(findSelectionError({ ...complete, team: '', jiraProject: null })).toBe(wizardSentences.team);
    expect(findSelectionError({ dataSource: null, team: null, jiraProject: null, appIds: [] })).toBe(
      wizardSentences.dataSource,
    );
  });

  it('reports the first release error in the specified order', () => {
    const rules = { prefix, timeZone: 'UTC', now: longAgo };
    const errors = [
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
    ].map((draft) => findReleaseError(draft, rules));
    expect(errors).toEqual([
      getForeignUrlSentence(prefix),
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

describe('URL of a tag', () => {
  const findError = (releaseTag: string) =>
    findReleaseError(
      { releaseTag, releaseName: 'x', releaseGroup: 'x', deploymentDate: new Date('2026-03-02T10:00:00Z') },
      { prefix: 'https://bitbucket.org/', timeZone: 'UTC', now: new Date('2026-03-01T10:00:00Z') },
    );

  it.each(['?dest=/commits/tag/X', '#/commits/tag/X', '?a\n/commits/tag/X'])(
    'has the tag in its path only: %j',
    (end) => {
      expect(parseTag(`https://bitbucket.org/team/app/pull-requests${end}`)).toBeNull();
    },
  );

  it.each(['https://bitbucket.org', 'https://Bitbucket.org', 'HTTPS://BITBUCKET.ORG'])(
    'may have its host in any case: %s',
    (origin) => {
      expect(findError(`${origin}/team/app/commits/tag/DEPLOY_a_20260302`)).toBeNull();
    },
  );

  it.each([
    'https://bitbucket.org.example/team/app/commits/tag/X',
    'https://bitbucket.org@example.com/commits/tag/X',
    'http://bitbucket.org/team/app/commits/tag/X',
  ])('of another host is refused: %s', (url) => {
    expect(findError(url)).toContain('It does not begin with https://bitbucket.org/');
  });
});

import { describe, expect, it } from 'vitest';
import { supportRosterConfig } from './support-roster.config.ts';

const faultsOf = (written: unknown) =>
  supportRosterConfig.safeParse(written).error?.issues.map(({ message }) => message) ?? [];
const calendar = 'https://calendar.example.com/private-abc/roster.ics';

describe('support roster configuration', () => {
  it('makes the support roster optional', () => {
    expect(supportRosterConfig.parse({})).toEqual({ teams: [], people: [], maskNumbers: false, refreshMins: 5 });
  });

  it('keeps feed addresses and tokens secret', () => {
    const config = supportRosterConfig.parse({
      teams: [{ name: 'Health', calendar }],
      pagerDuty: { token: 'pd-secret' },
    });
    expect(config.teams[0]?.calendar?.reveal()).toBe(calendar);
    expect(JSON.stringify(config)).not.toMatch(/private-abc|pd-secret/);
  });

  it('reads the addresses that calendar services hand out for apps', () => {
    for (const scheme of ['webcal', 'WEBCALS', 'webcals', 'https']) {
      const config = supportRosterConfig.parse({ teams: [{ name: 'Health', calendar: `${scheme}://host.example/a` }] });
      expect(config.teams[0]?.calendar?.reveal()).toBe('https://host.example/a');
    }
  });

  it('accepts email addresses of people, and no other text in their place', () => {
    const people = (email: string) => ({ people: [{ name: 'Thabo Mokoena', number: '+27 82 555 0142', email }] });
    expect(faultsOf(people('thabo@company.example'))).toEqual([]);
    expect(faultsOf(people('thabo'))).toHaveLength(1);
  });

  it('requires unique team names within each environment', () => {
    const twice = (one?: string[], other?: string[]) => ({
      teams: [
        { name: 'Health', environments: one },
        { name: 'Health', environments: other },
      ],
    });
    expect(faultsOf(twice(['Production'], ['Staging']))).toEqual([]);
    for (const [one, other] of [
      [undefined, undefined],
      [['Production'], undefined],
      [undefined, ['Staging']],
    ] as const)
      expect(faultsOf(twice(one && [...one], other && [...other]))).toEqual(['two teams have the same name']);
    expect(faultsOf(twice(['Production', 'Staging'], ['Staging']))).toEqual(['two teams have the same name']);
  });

  it.each([
    [{ name: 'Health', calendar, pagerDutySchedule: 'P1' }, 'must not have both a calendar and a PagerDuty schedule'],
    [{ name: 'Health', pagerDutySchedule: 'P1' }, 'a team has a `pagerDutySchedule`, but there is no `pagerDuty`'],
    [{ name: 'Health', calendar: 'file:///etc/passwd' }, expect.any(String)],
    [{ name: ' ' }, expect.any(String)],
    [{ name: 'Health', calendar, namePattern: '(' }, 'is not a regular expression'],
    [{ name: 'Health', namePattern: '^Duty' }, 'has `nameFrom` or `namePattern`, but no `calendar`'],
    [{ name: 'Health', calendar, nameFrom: 'organizer' }, expect.any(String)],
  ])('rejects %j', (team, message) => {
    expect(faultsOf({ teams: [team] })).toContainEqual(message);
  });
});

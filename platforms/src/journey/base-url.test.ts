import { Invalid } from '@portal/kit/problems';
import { describe, expect, it } from 'vitest';
import { getJourneyEnvironment, normalizeJourneyBaseUrl } from './base-url.ts';

const id = '5f0c1d2e3a4b5c6d7e8f9a0b';
const whole = `https://run-us.journeyapps.com/api/v4/${id}/`;

describe('Journey base URL', () => {
  it.each([
    whole,
    whole.slice(0, -1),
    `${whole}//`,
    `${whole}?a=b#c`,
    'https://run-us.journeyapps.com/api/v4/',
    'https://run-us.journeyapps.com/api/v4',
    'https://run-us.journeyapps.com',
    'https://RUN-us.journeyapps.com/',
  ])('completes %s with the user name', (baseUrl) => {
    expect(normalizeJourneyBaseUrl(baseUrl, id)).toBe(whole);
  });

  it('keeps its own deployment id and the path prefix of a proxy', () => {
    expect(normalizeJourneyBaseUrl(whole, 'another')).toBe(whole);
    expect(normalizeJourneyBaseUrl(`https://x.example.com/journey/api/v4/${id}`)).toBe(
      `https://x.example.com/journey/api/v4/${id}/`,
    );
    expect(normalizeJourneyBaseUrl('https://x.example.com/journey/api/v4', id)).toBe(
      `https://x.example.com/journey/api/v4/${id}/`,
    );
  });

  it.each([
    ['https://run-us.journeyapps.com', undefined],
    ['https://run-us.journeyapps.com/api/v4/', ''],
    ['https://run-us.journeyapps.com/api/v4/', '.'],
    ['https://run-us.journeyapps.com/api/v4/', '..'],
    ['https://run-us.journeyapps.com/api/v3/1', id],
    [`${whole}objects`, id],
    ['ftp://run-us.journeyapps.com', id],
    ['https://user:secret@run-us.journeyapps.com', id],
    ['run-us.journeyapps.com', id],
    ['', id],
  ])('rejects %j with user name %j', (baseUrl, userName) => {
    expect(() => normalizeJourneyBaseUrl(baseUrl, userName)).toThrow(Invalid);
    expect(() => normalizeJourneyBaseUrl(baseUrl, userName)).not.toThrow(/secret/);
  });
});

it.each([
  ['https://run-testing-us.journeyapps.com/api/v4/x', 'Testing'],
  ['https://run-staging-eu.journeyapps.com', 'Staging'],
  ['https://run-au.journeyapps.com', 'Production'],
  ['https://run.journeyapps.com', 'Production'],
  ['https://runner.journeyapps.com', 'runner'],
  ['https://my-app.backend.us.journeyapps.com/api/v4/x/', 'my-app'],
  ['http://localhost:4000/', 'localhost'],
  ['http://127.0.0.1:4000/', '127.0.0.1'],
  ['http://[::1]:4000/', '[::1]'],
])('derives the environment of %s as %s', (baseUrl, environment) => {
  expect(getJourneyEnvironment(baseUrl)).toBe(environment);
});

import { findJourneyAddressError } from '@portal/contract/sync/config-rules';
import { normalizeJourneyBaseUrl } from '@portal/platforms/journey/base-url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configFor, grain } from '../service.fixture.ts';
import { testConfig } from '../service-config.fixture.ts';
import { checkConfig } from './check-config.ts';
import { createEnrollmentTemplate } from './template.ts';

const [production] = testConfig('postgres://127.0.0.1/none').environments;

function problemsOf(config: unknown, dataSource: string | null = 'apps-1') {
  if (!production) throw new Error('There is no environment.');
  const checked = checkConfig({ config, app: grain, dataSource, environment: production, stored: undefined });
  return Object.fromEntries(checked.problems.map(({ field, reason }) => [field, reason]));
}

const config = configFor();
const journeyAt = (baseUrl: string) => ({ ...config, journey: { ...config.journey, baseUrl } });

describe('configuration check', () => {
  it('accepts a valid configuration', () => {
    expect(problemsOf(config)).toEqual({});
    expect(problemsOf({ ...config, helium: { ...config.helium, baseUrl: `${config.helium.baseUrl}/` } })).toEqual({});
  });

  it('reports all problems of a configuration at once, by field', () => {
    const wrong = {
      ...config,
      enabled: 'yes',
      helium: { appId: 'another', dbSchema: 'another', baseUrl: 'https://elsewhere.example.com' },
      journey: { appId: '', baseUrl: 'https://evil.example.com/api/v4/1', restAPICredentials: { userName: ' ' } },
      heliumToJourney: { changeLogMinVersionAsString: '-1', changeLogSkipTables: ['farmer', 'Farmer', '', 'a b'] },
      journeyToHelium: { oplogMinVersionAsString: '9223372036854775808', oplogSkipObjectTypes: [] },
    };
    expect(problemsOf(wrong, 'apps-9')).toEqual({
      enabled: expect.stringContaining('boolean'),
      'helium.appId': 'is not the app 7a0c',
      'helium.dbSchema': 'its data source apps-9 is not configured for Production',
      'helium.baseUrl': 'is not the address of Production, which is https://helium-production.example.com',
      'journey.baseUrl': 'is not a Journey deployment configured for Production',
      'journey.restAPICredentials.userName': 'is missing',
      'journey.restAPICredentials.password': 'is missing',
      'heliumToJourney.changeLogMinVersionAsString': 'must be a whole number, 0 or greater',
      'heliumToJourney.changeLogSkipTables.1': '"Farmer" is listed twice',
      'heliumToJourney.changeLogSkipTables.2': 'has an extra comma',
      'heliumToJourney.changeLogSkipTables.3': '"a b" is not a valid name',
      'journeyToHelium.oplogMinVersionAsString': 'must be at most 9223372036854775807',
    });
  });

  it.each([undefined, null, 7, 'text', [], {}, { helium: null, journey: 3, heliumToJourney: [] }])(
    'rejects a value that is not a configuration: %j',
    (sent) => expect(Object.keys(problemsOf(sent)).length).toBeGreaterThan(0),
  );

  it('accepts a whole percentage of deletions from 0 to 100, and a configuration without one', () => {
    for (const maxDeletedPercent of [undefined, 0, 5, 100])
      expect(problemsOf({ ...config, maxDeletedPercent })).toEqual({});
    for (const maxDeletedPercent of [-1, 101, 2.5, '5', null])
      expect(problemsOf({ ...config, maxDeletedPercent })).toEqual({
        maxDeletedPercent: 'must be a whole number from 0 to 100',
      });
  });

  it('rejects a schema that no data source contains', () => {
    expect(problemsOf(config, null)).toEqual({ 'helium.dbSchema': 'no data source of Production contains it' });
  });
});

it.each([
  ['.', 'is not a valid user name'],
  ['..', 'is not a valid user name'],
  ['a:b', 'must not contain a colon'],
])('rejects the Journey user name %s', (userName, reason) => {
  const restAPICredentials = { ...config.journey.restAPICredentials, userName };
  expect(problemsOf({ ...config, journey: { ...config.journey, restAPICredentials } })).toEqual({
    'journey.restAPICredentials.userName': reason,
  });
});

describe('Journey address check', () => {
  it.each([
    'https://run-testing-us.example.com/api/v4/1',
    'https://run-testing-us.example.com/api/v4/1/',
    'https://RUN-TESTING-US.example.com/api/v4/1',
    'https://run-testing-us.example.com/api/v4/',
  ])('accepts an address below a configured one: %s', (url) => expect(problemsOf(journeyAt(url))).toEqual({}));

  it.each([
    'https://run-testing-us.example.com.evil.com/api/v4/1',
    'https://run-testing-us.example.com:8443/api/v4/1',
    'http://run-testing-us.example.com/api/v4/1',
    'https://user:secret@run-testing-us.example.com/api/v4/1',
    'https://run-testing-us.example.com/api/v4/../../admin',
    'https://run-testing-us.example.com/api/v44/1',
    'https://run-testing-us.example.com@evil.com/api/v4/1',
    'file:///etc/passwd',
    'nowhere',
    '',
  ])('rejects any other address: %s', (url) => expect(problemsOf(journeyAt(url))).toHaveProperty(['journey.baseUrl']));
});

it('rejects a Journey address that the client would refuse', () => {
  const path = fc.string({ unit: fc.constantFrom('/', 'api', 'v4', '1', '..', '?', '#', ' ', '@', ':'), maxLength: 8 });
  const address = fc.oneof(
    fc.webUrl(),
    path.map((path) => `https://run.example.com${path}`),
  );
  fc.assert(
    fc.property(address, (address) => {
      if (findJourneyAddressError(address) === null) normalizeJourneyBaseUrl(address, 'user');
    }),
  );
});

describe('enrollment check', () => {
  const withEnrollment = (change: object) => ({
    ...config,
    journeyToHeliumEnrollment: { ...createEnrollmentTemplate('session'), ...change },
  });

  it('accepts both enrollment templates, also when enabled', () => {
    expect(problemsOf(withEnrollment({ enabled: true }))).toEqual({});
    const user = { ...createEnrollmentTemplate('user'), enabled: true };
    expect(problemsOf({ ...config, journeyToHeliumEnrollment: user })).toEqual({});
  });

  it('requires the enrollment objects only when enrollment is enabled', () => {
    expect(problemsOf(withEnrollment({ heliumObjectName: '', sessionObjectName: '' }))).toEqual({});
    expect(problemsOf(withEnrollment({ enabled: true, heliumObjectName: '', sessionObjectName: '' }))).toEqual({
      'journeyToHeliumEnrollment.heliumObjectName': 'is missing',
      'journeyToHeliumEnrollment.sessionObjectName': 'is missing',
    });
  });

  it('accepts an enrollment without containers, but no field of a container without its object', () => {
    const withContainers = (sessionContainerObjectFieldNames: object) =>
      withEnrollment({ enabled: true, sessionContainerObjectName: '', sessionContainerObjectFieldNames });
    expect(problemsOf(withContainers({}))).toEqual({});
    const empty = { versionFieldName: '', bundleIdFieldName: '', platformFieldName: '', sessionObjectFkFieldName: '' };
    expect(problemsOf(withContainers(empty))).toEqual({});
    expect(problemsOf(withContainers({ ...empty, platformFieldName: 'platform' }))).toEqual({
      'journeyToHeliumEnrollment.sessionContainerObjectName': 'is missing',
    });
  });

  it("applies the guide's rules to enrollment names and rejects duplicate fields", () => {
    const wrong = {
      journeyObjectName: 'USER',
      updateIntervalMins: 7,
      lockedFieldName: 'locked_id',
      enrolledFieldName: 'date',
      enrollmentCodeFieldName: 'a b',
      lastConnectedAtFieldName: 'generateenrollmentcode',
      sessionObjectFieldNames: { stateFieldName: 'x', labelFieldname: 'X' },
    };
    const root = 'journeyToHeliumEnrollment';
    expect(Object.keys(problemsOf(withEnrollment({ ...wrong, updateIntervalMins: 15 }))).sort()).toEqual([
      `${root}.enrolledFieldName`,
      `${root}.enrollmentCodeFieldName`,
      `${root}.journeyObjectName`,
      `${root}.lastConnectedAtFieldName`,
      `${root}.lockedFieldName`,
      `${root}.sessionObjectFieldNames.labelFieldname`,
    ]);
    expect(problemsOf(withEnrollment({ updateIntervalMins: 7 }))).toEqual({
      [`${root}.updateIntervalMins`]: 'must be one of 5, 10 … 60',
    });
  });
});

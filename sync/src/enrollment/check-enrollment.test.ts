import { describe, expect, it } from 'vitest';
import type { HeliumCatalog } from '../mapping/helium-catalog.ts';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import { checkEnrollment } from './check-enrollment.ts';
import { sessionMode, userMode } from './enrollment.fixture.ts';

const column = (definition: string) => {
  const [name = '', ...type] = definition.split(' ');
  return {
    name,
    type: type.join(' '),
    isNullable: true,
    hasDefault: false,
    isComputed: false,
    references: null,
    onDelete: null,
  };
};

const table = (name: string, ...columns: readonly string[]) => ({
  name,
  kind: 'table' as const,
  isTracked: true,
  columns: ['_id_ uuid', '_tstamp_ timestamp without time zone', ...columns].map(column),
});

const catalog: HeliumCatalog = {
  schema: 'app_001',
  tables: [
    table(
      'appuser',
      ...['allowed', 'enrolled', 'locked', 'reenroll', 'wantscode'].map((name) => `${name} boolean`),
      ...['launcher', 'os', 'model', 'barcode', 'url', 'code'].map((name) => `${name} text`),
      ...['reenrolledat', 'lastseen'].map((name) => `${name} timestamp without time zone`),
      'lastseenon date',
      'age integer',
    ),
    table(
      'devicesession',
      ...['state', 'created', 'label', 'reauthenticate'].map((name) => `${name} character varying(64)`),
      ...['authenticated', 'signedout', 'reauthenticatedat'].map((name) => `${name} timestamp without time zone`),
      'seen date',
      'appuser_fk uuid',
    ),
    table('devicecontainer', 'version text', 'bundle text', 'platform text', 'devicesession_fk uuid'),
    { ...table('seen_users', 'enrolled boolean'), kind: 'view' },
  ],
};

const model = (name: string) => ({ name, label: name, fields: [], belongsTo: [] });
const models: JourneyCatalog = { hash: '1', userModel: 'user', models: [model('user'), model('farmer')] };

const check = (enrollment: Parameters<typeof checkEnrollment>[0]) => checkEnrollment(enrollment, catalog, models);
const part = 'journeyToHeliumEnrollment';

describe('checkEnrollment', () => {
  it('reports no problem when both sides match the configuration', () => {
    expect(check(userMode)).toEqual([]);
    expect(check(sessionMode)).toEqual([]);
  });

  it("skips a disabled enrollment, and Journey's side when it is unreachable", () => {
    expect(check({ ...userMode, enabled: false, heliumObjectName: '' })).toEqual([]);
    expect(checkEnrollment({ ...userMode, journeyObjectName: 'unknown' }, catalog, null)).toEqual([]);
  });

  it.each([
    ['heliumObjectName', 'Unknown', 'The app has no object Unknown.'],
    ['heliumObjectName', 'seen_users', 'The app has no object seen_users.'],
    ['heliumObjectName', ' ', 'Enter the name of an object.'],
    ['journeyObjectName', 'USER', 'Journey has no model USER; it has user.'],
    ['journeyObjectName', '', 'Journey has no model without a name.'],
    ['journeyObjectName', 'farmer', 'farmer is not the user model of the Journey app, which is user.'],
    ['urlFieldName', 'link', 'The object appuser has no attribute link.'],
    ['urlFieldName', '_id_', 'The object appuser has no attribute _id_.'],
    ['urlFieldName', 'age', 'The attribute age of appuser is of type integer; it must be string.'],
    ['enrolledFieldName', 'age', expect.stringContaining('boolean, or string (Yes/No)')],
    ['performReEnrollmentFieldName', 'age', expect.stringContaining('yes/no/true/false/t/f')],
    [
      'lastConnectedFieldName',
      'allowed',
      expect.stringContaining('it must be string (ISO 8601 UTC), date or dateTime'),
    ],
    ['urlFieldName', 'Barcode', 'The attribute is already used for barcodeFieldName.'],
    ['enrollmentCodeFieldName', '', 'Enrollment codes are requested, but no attribute is configured to store them.'],
  ])('rejects %s %j', (field, name, reason) => {
    expect(check({ ...userMode, [field]: name })).toEqual([{ field: `${part}.${field}`, reason }]);
  });

  it('names the fields of sessions and containers by their path', () => {
    const wrong = {
      ...sessionMode,
      sessionObjectFieldNames: { ...sessionMode.sessionObjectFieldNames, heliumObjectFkFieldName: 'label' },
      sessionContainerObjectFieldNames: { platformFieldName: 'os' },
    };
    expect(check(wrong).map(({ field }) => field)).toEqual([
      `${part}.sessionObjectFieldNames.heliumObjectFkFieldName`,
      `${part}.sessionObjectFieldNames.labelFieldname`,
      `${part}.sessionContainerObjectFieldNames.platformFieldName`,
    ]);
  });

  it('requires distinct objects, sessions always, and containers when one of their fields is set', () => {
    expect(
      check({ ...sessionMode, sessionContainerObjectName: 'DeviceSession', sessionContainerObjectFieldNames: {} }),
    ).toEqual([
      { field: `${part}.sessionContainerObjectName`, reason: 'DeviceSession is already used as sessionObjectName.' },
    ]);
    expect(check({ ...sessionMode, sessionObjectName: '' }).map(({ field }) => field)).toEqual([
      `${part}.sessionObjectName`,
    ]);
    expect(check({ ...sessionMode, sessionContainerObjectName: '' }).map(({ field }) => field)).toEqual([
      `${part}.sessionContainerObjectName`,
    ]);
    expect(check({ ...sessionMode, sessionContainerObjectName: '', sessionContainerObjectFieldNames: {} })).toEqual([]);
  });
});

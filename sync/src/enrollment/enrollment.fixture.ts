/**
 * An app with users, their sessions and containers, and a Journey deployment with the same users.
 */
import type { Enrollment, SessionEnrollment, UserEnrollment } from '@portal/contract/sync/enrollment';
import { Secret } from '@portal/kit/secret';
import { createJourneyClient, type JourneyClient } from '@portal/platforms/journey/client';
import type { DeploymentHandle, JourneySimulator } from '@portal/simulators/journey/simulator';
import { smallDeployment } from '@portal/simulators/journey/small-deployment';
import { startTestJourney } from '@portal/simulators/journey/test-simulator';
import type pg from 'pg';
import { createHeliumFixture, foreignKey, type HeliumFixture, newId } from '../helium/helium-gateway.fixture.ts';
import { prepareState } from '../sync-state/schema.ts';
import type { EnrollmentOutcome, EnrollmentRound } from './enrollment-round.ts';
import { PendingRequests } from './pending-requests.ts';
import { RecurringWarnings } from './recurring-warnings.ts';
import { runEnrollment } from './run-enrollment.ts';

export const now = new Date('2026-03-04T05:06:07.890Z');

/** One object with Helium's own types, and one that stores everything as text. */
const tables = {
  appuser: [
    'name text',
    'allowed boolean',
    'enrolled boolean',
    'locked boolean',
    'reenroll boolean',
    'reenrolledat timestamp without time zone',
    'wantscode boolean',
    'code text',
    'url text',
    'barcode text',
    'launcher text',
    'os text',
    'model text',
    'lastseen timestamp without time zone',
    'lastseenon date',
  ],
  textuser: [
    'enrolled text',
    'locked text',
    'reenroll text',
    'reenrolledat text',
    'wantscode text',
    'code text',
    'lastseen text',
  ],
  devicesession: [
    'state text',
    'authenticated timestamp without time zone',
    'created text',
    'seen date',
    'signedout timestamp without time zone',
    'label text',
    'reauthenticate text',
    'reauthenticatedat timestamp without time zone',
    'remark text',
    'appuser_fk uuid',
  ],
  devicecontainer: ['version text', 'bundle text', 'platform text', 'devicesession_fk uuid'],
  note: ['text text', 'devicesession_fk uuid'],
};

const stateTables = ['user_lock', 'enrollment_request', 'enrollment_user', 'enrollment_status', 'enrollment_brake'].map(
  (name) => `__portal_sync__.${name}`,
);

const keys = [
  foreignKey('devicesession', 'appuser_fk', 'appuser'),
  foreignKey('devicecontainer', 'devicesession_fk', 'devicesession'),
  foreignKey('note', 'devicesession_fk', 'devicesession'),
].join('\n');

const common = { enabled: true, journeyObjectName: 'user', updateIntervalMins: 15 } as const;

export const userMode: UserEnrollment = {
  ...common,
  type: 'user',
  heliumObjectName: 'AppUser',
  allowedAccessFieldName: 'allowed',
  enrolledFieldName: 'enrolled',
  journeyLauncherVersionFieldName: 'launcher',
  deviceOsFieldName: 'os',
  performReEnrollmentFieldName: 'reEnroll',
  generateEnrollmentCodeFieldName: 'wantsCode',
  deviceModelFieldName: 'model',
  lastConnectedFieldName: 'lastSeen',
  barcodeFieldName: 'barcode',
  urlFieldName: 'url',
  reEnrollmentLastProcessedFieldName: 'reEnrolledAt',
  enrollmentCodeFieldName: 'code',
};

export const textUserMode: UserEnrollment = {
  ...common,
  type: 'user',
  heliumObjectName: 'TextUser',
  enrolledFieldName: 'enrolled',
  performReEnrollmentFieldName: 'reEnroll',
  reEnrollmentLastProcessedFieldName: 'reEnrolledAt',
  generateEnrollmentCodeFieldName: 'wantsCode',
  enrollmentCodeFieldName: 'code',
  lastConnectedFieldName: 'lastSeen',
};

export const sessionMode: SessionEnrollment = {
  ...common,
  type: 'session',
  heliumObjectName: 'AppUser',
  generateEnrollmentCodeFieldName: 'wantsCode',
  enrollmentCodeFieldName: 'code',
  lockedFieldName: 'locked',
  lastConnectedAtFieldName: 'lastSeenOn',
  enrolledFieldName: 'enrolled',
  sessionObjectName: 'DeviceSession',
  sessionContainerObjectName: 'DeviceContainer',
  sessionObjectFieldNames: {
    stateFieldName: 'state',
    lastAuthenticatedAtFieldName: 'authenticated',
    createdAtFieldName: 'created',
    heliumObjectFkFieldName: 'appUser',
    performReAuthenticateFieldName: 'reAuthenticate',
    reAuthenticateLastProcessedFieldName: 'reAuthenticatedAt',
    signedOutAtFieldName: 'signedOut',
    lastConnectedAtFieldName: 'seen',
    labelFieldname: 'label',
  },
  sessionContainerObjectFieldNames: {
    versionFieldName: 'version',
    bundleIdFieldName: 'bundle',
    platformFieldName: 'platform',
    sessionObjectFkFieldName: 'deviceSessionFk',
  },
};

type Row = Readonly<Record<string, unknown>>;

export interface EnrollmentFixture {
  readonly helium: HeliumFixture;
  readonly db: pg.Client;
  readonly deployment: DeploymentHandle;
  readonly client: JourneyClient;
  readonly faults: JourneySimulator['faults'];
  /** The log of all rounds since the last `reset`. */
  readonly lines: readonly string[];
  /** Adds a user in Journey, with a row in each table of users. */
  addUser(): Promise<string>;
  /** Signs a device of a user in with multiple devices per user. Returns the session's id. */
  signIn(user: string, device?: string): Promise<string>;
  round(enrollment: Enrollment, options?: Partial<EnrollmentRound>): EnrollmentRound;
  run(enrollment: Enrollment, options?: Partial<EnrollmentRound>): Promise<EnrollmentOutcome>;
  /** Reads rows without Helium's system columns, with instants as PostgreSQL writes them. */
  row(table: string, id: string): Promise<Row | undefined>;
  rows(table: string): Promise<Row[]>;
  set(table: string, id: string, cells: Row): Promise<void>;
  /** The head of the change log. */
  head(): Promise<string>;
  /** Empties all tables and deletes the saved locks; Journey keeps its users. */
  reset(options: { readonly multiDevice: boolean }): Promise<void>;
  drop(): Promise<void>;
}

export async function createEnrollmentFixture(): Promise<EnrollmentFixture> {
  const helium = await createHeliumFixture({ tables, sql: keys });
  const db = await helium.connect();
  await prepareState(db);
  const journey = await startTestJourney();
  const deployment = journey.deployment(smallDeployment.id);
  const client = createJourneyClient({
    baseUrl: deployment.url,
    userName: deployment.userName,
    password: new Secret(deployment.password),
  });
  const catalog = await helium.gateway.readCatalog();
  const lines: string[] = [];
  const select = async (table: string, where: string, values: readonly unknown[]) => {
    const { rows } = await db.query<{ row: Row }>(
      `select to_jsonb(t) - '{_id_,_tstamp_,_tx_id_,_change_type_,_change_seq_}'::text[] as row from ${table} t ${where} order by _id_`,
      [...values],
    );
    return rows.map(({ row }) => row);
  };
  const round = (enrollment: Enrollment, options?: Partial<EnrollmentRound>): EnrollmentRound => ({
    enrollment,
    stateKey: 'Production/app-1/1',
    maxDeletedPercent: 10,
    client,
    pool: helium.pool,
    catalog,
    heliumToJourneyEnabled: true,
    now: () => now,
    log: (key, value) => lines.push(`${key} ${value}`),
    signal: new AbortController().signal,
    pending: new PendingRequests(900_000),
    warnings: new RecurringWarnings(),
    ...options,
  });
  return {
    helium,
    db,
    deployment,
    client,
    faults: journey.faults,
    lines,
    async addUser() {
      const id = newId();
      await deployment.device.edit({ method: 'put', object: { type: 'user', id, name: `User ${id}` } });
      await db.query(`insert into appuser (_id_, _tstamp_) values ($1, '2026-01-02 03:04:05')`, [id]);
      await db.query(`insert into textuser (_id_, _tstamp_) values ($1, '2026-01-02 03:04:05')`, [id]);
      return id;
    },
    async signIn(user, device = newId()) {
      const { token } = await client.authenticationToken(user);
      return deployment.device.enroll(token, { device: { id: device } });
    },
    round,
    run: (enrollment, options) => runEnrollment(round(enrollment, options)),
    row: async (table, id) => (await select(table, 'where _id_ = $1', [id]))[0],
    rows: (table) => select(table, '', []),
    async set(table, id, cells) {
      const columns = Object.keys(cells);
      const assignments = columns.map((column, index) => `${column} = $${index + 2}`).join(', ');
      await db.query(`update ${table} set ${assignments} where _id_ = $1`, [id, ...Object.values(cells)]);
    },
    head: () => helium.gateway.readHead(),
    async reset({ multiDevice }) {
      deployment.setMultiDevice(multiDevice);
      deployment.setListsDeletedUsers(true);
      journey.faults.clear();
      lines.length = 0;
      await db.query(`truncate ${[...Object.keys(tables), ...stateTables].join(', ')}`);
    },
    async drop() {
      await helium.drop();
      await journey.stop({ dropDatabase: true });
    },
  };
}

/**
 * Users whose enrollment operators request in Helium, and who act on it. Each user plays one part:
 *
 *   code              asks for codes
 *   lock              is locked and unlocked, and signs in while Journey permits it
 *   re-authentication is signed out on one device, and signs in again as soon as that has happened
 */
import type { Enrollment } from '@portal/contract/sync/enrollment';
import { Secret } from '@portal/kit/secret';
import { createJourneyClient, type JourneyClient } from '@portal/platforms/journey/client';
import { foreignKey } from '../../helium/helium-gateway.fixture.ts';
import type { PlayedWorld } from './file-editor.fixture.ts';

export const userTables = {
  user: ['name text', 'locked boolean', 'wantscode boolean', 'code text'],
  devicesession: ['state text', 'reauthenticate boolean', 'reauthenticatedat timestamp', 'user_fk uuid'],
};

export const userKeys = foreignKey('devicesession', 'user_fk', '"user"');

export const enrollment: Enrollment = {
  type: 'session',
  enabled: true,
  heliumObjectName: 'User',
  journeyObjectName: 'user',
  updateIntervalMins: 60,
  generateEnrollmentCodeFieldName: 'wantsCode',
  enrollmentCodeFieldName: 'code',
  lockedFieldName: 'locked',
  sessionObjectName: 'DeviceSession',
  sessionContainerObjectName: '',
  sessionObjectFieldNames: {
    stateFieldName: 'state',
    heliumObjectFkFieldName: 'user',
    performReAuthenticateFieldName: 'reAuthenticate',
    reAuthenticateLastProcessedFieldName: 'reAuthenticatedAt',
  },
  sessionContainerObjectFieldNames: {},
};

interface Device {
  readonly user: string;
  readonly session: string;
  /** How often operators have requested a re-authentication, and the person has signed in again. */
  requests: number;
  signIns: number;
}

type Part = 'code' | 'lock' | 're-authentication';
const parts: readonly Part[] = ['code', 'lock', 're-authentication'];
const usersPerPart = 2;

const ofDeployment = 'deployment = (select key from deployment where id = $1)';

export class PlayedUsers {
  readonly #world: PlayedWorld;
  readonly #random: () => number;
  readonly #client: JourneyClient;
  readonly #ids: Readonly<Record<Part, readonly string[]>>;
  readonly #devices: Device[] = [];
  /** Helium's flag, as an operator set it last. */
  readonly #locked = new Map<string, boolean>();
  #signingIn: Promise<void> = Promise.resolve();
  #codes = 0;
  #locks = 0;

  constructor(world: PlayedWorld, random: () => number) {
    this.#world = world;
    this.#random = random;
    const { url, userName, password } = world.deployment;
    this.#client = createJourneyClient({ baseUrl: url, userName, password: new Secret(password) });
    const toId = (part: number, nth: number) => `c${part}${nth}00000-0000-4000-8000-000000000000`;
    const idsOf = (part: Part) => Array.from({ length: usersPerPart }, (_, nth) => toId(parts.indexOf(part), nth));
    this.#ids = { code: idsOf('code'), lock: idsOf('lock'), 're-authentication': idsOf('re-authentication') };
  }

  /** Creates the users in Journey, and signs in those who have a device. */
  async create(): Promise<void> {
    const { deployment, edit } = this.#world;
    deployment.setMultiDevice(true);
    for (const id of Object.values(this.#ids).flat())
      await edit({ method: 'put', object: { type: 'user', id, name: 'Thabo' } });
    for (const id of this.#ids.lock) await this.#signIn(id);
    for (const user of this.#ids['re-authentication'])
      this.#devices.push({ user, session: await this.#signIn(user), requests: 0, signIns: 0 });
  }

  /** Whether Helium has all users and devices. */
  async areSynced(): Promise<boolean> {
    const { rows } = await this.#world.sql(
      `select (select count(*)::int from $s."user") as users, (select count(*)::int from $s.devicesession) as sessions`,
    );
    return rows[0].users === usersPerPart * parts.length && rows[0].sessions === usersPerPart * 2;
  }

  async act(): Promise<void> {
    const part = parts[Math.floor(this.#random() * parts.length)] ?? 'code';
    await this.#request(part, Math.floor(this.#random() * usersPerPart));
    await this.signInAgain();
  }

  /** Makes a request of each kind. */
  async actInEachPart(): Promise<void> {
    for (const part of parts) await this.#request(part, 0);
  }

  async #request(part: Part, nth: number): Promise<void> {
    if (part === 'code') await this.#requestCode(this.#ids.code[nth] ?? '');
    else if (part === 'lock') await this.#changeLock(this.#ids.lock[nth] ?? '');
    else await this.#requestReAuthentication(this.#devices[nth]);
  }

  /** Lets everyone sign in again who was asked to. */
  signInAgain(): Promise<void> {
    // One at a time, so that each sign-in counts once.
    this.#signingIn = this.#signingIn.then(() => this.#signInAll());
    return this.#signingIn;
  }

  async #signInAll(): Promise<void> {
    for (const device of this.#devices) {
      if ((await this.#readSession(device.session))?.state !== 'LOCKED') continue;
      device.signIns += 1;
      await this.#signIn(device.user);
    }
  }

  /** Returns what is not as requested yet. */
  async findDifferences(): Promise<string[]> {
    const { sql, journeySql, deployment } = this.#world;
    const { rows: users } = await sql('select _id_::text as id, locked, wantscode, code from $s."user"');
    const { rows: flags } = await sql('select _id_::text as id from $s.devicesession where reauthenticate');
    const { rows: journeyUsers } = await journeySql(
      `select id::text, locked, enrolment_code as code from app_user where ${ofDeployment}`,
      [deployment.id],
    );
    const { rows: signedIn } = await journeySql(
      `select app_user::text as id from session where state = 'ENROLLED' and ${ofDeployment}`,
      [deployment.id],
    );
    const journey = new Map(journeyUsers.map((user) => [user.id, user]));
    return [
      ...users.flatMap(({ id, wantscode, code }) => {
        if (!this.#ids.code.includes(id) || (!wantscode && (code === null || code === journey.get(id)?.code)))
          return [];
        return [
          `user ${id} has the code ${code}, Journey ${journey.get(id)?.code}; another is requested: ${wantscode}`,
        ];
      }),
      ...users.flatMap(({ id, locked }) => {
        const expected = this.#locked.get(id) ?? false;
        const inJourney = journey.get(id)?.locked ?? false;
        if ((locked ?? false) === expected && inJourney === expected) return [];
        return [`user ${id} is locked in Helium: ${locked}, in Journey: ${inJourney}, requested: ${expected}`];
      }),
      ...signedIn.filter(({ id }) => this.#locked.get(id)).map(({ id }) => `the locked user ${id} is signed in`),
      ...flags.map(({ id }) => `device ${id} waits for its re-authentication`),
      ...this.#devices
        .filter(({ requests, signIns }) => requests !== signIns)
        .map(({ session, requests, signIns }) => `device ${session}: ${requests} requests, ${signIns} sign-ins`),
    ];
  }

  /** How many requests of each kind were made, for the log of a test. */
  get requests(): string {
    const reAuthentications = this.#devices.reduce((sum, { requests }) => sum + requests, 0);
    return `${this.#codes} codes, ${this.#locks} locks, ${reAuthentications} re-authentications`;
  }

  async #requestCode(id: string): Promise<void> {
    this.#codes += 1;
    await this.#world.sql('update $s."user" set wantscode = true where _id_ = $1', [id]);
  }

  async #changeLock(id: string): Promise<void> {
    if (this.#random() < 0.3) {
      // Refused while the user is locked.
      await this.#signIn(id).catch(() => undefined);
      return;
    }
    const locked = !this.#locked.get(id);
    await this.#world.sql('update $s."user" set locked = $2 where _id_ = $1', [id, locked]);
    this.#locked.set(id, locked);
    this.#locks += 1;
  }

  async #requestReAuthentication(device: Device | undefined): Promise<void> {
    if (!device || device.requests !== device.signIns) return;
    const session = await this.#readSession(device.session);
    // Journey's times have whole seconds: an earlier sign-out must have another one.
    const nowSeconds = Math.floor(Date.now() / 1000);
    if (session?.state !== 'ENROLLED' || Number(session.signedOutAt ?? 0) >= nowSeconds) return;
    const { rowCount } = await this.#world.sql(
      'update $s.devicesession set reauthenticate = true where _id_ = $1 and not coalesce(reauthenticate, false)',
      [device.session],
    );
    if (rowCount) device.requests += 1;
  }

  async #readSession(session: string): Promise<{ state: string; signedOutAt: string | null } | undefined> {
    const { rows } = await this.#world.journeySql(
      'select state, signed_out_at as "signedOutAt" from session where id = $1',
      [session],
    );
    return rows[0];
  }

  /** Signs the user in on the same device as before. Returns the session's id. */
  async #signIn(user: string): Promise<string> {
    const { token } = await this.#client.authenticationToken(user);
    return this.#world.deployment.device.enroll(token, { device: { id: user } });
  }
}

/** A running deployment: its state in memory and its queue of writes. */
import { timingSafeEqual } from 'node:crypto';
import type { Pool } from '@portal/kit/postgres/pool';
import type { DataModel } from './data-model.ts';
import { hashModel } from './data-model.ts';
import type { DeploymentDefinition } from './definition.ts';
import { parseSchema } from './schema-xml.ts';
import { createTokenBucket, defaultRateLimit, type RateLimit, type TokenBucket } from './token-bucket.ts';
import type { LogEntry } from './write-plan.ts';

type UploadState = 'pending' | 'missing' | 'untrusted';
type WriteListener = (entries: readonly LogEntry[]) => void;

export interface Deployment {
  readonly id: string;
  /** The key of its rows. */
  readonly key: number;
  readonly definition: DeploymentDefinition;
  readonly pool: Pool;
  dataModel(): DataModel;
  /** Milliseconds since 1970. */
  deployedAt(): number;
  /** Deploys another data model. Throws a SchemaError and changes nothing when it is invalid. */
  deploy(schemaXml: string): Promise<DataModel>;
  password(): string;
  setPassword(password: string): void;
  /** Whether these HTTP credentials are valid. */
  isAuthorized(authorization: string | undefined): boolean;
  setRateLimit(limit: RateLimit | 'off'): void;
  /** Takes a token for a call, or returns how long until there is one. */
  takeToken(): ReturnType<TokenBucket['take']>;
  isMultiDevice(): boolean;
  setMultiDevice(isOn: boolean): void;
  /** Whether its simulated devices edit records by themselves; true at first. */
  hasDeviceEdits(): boolean;
  setDeviceEdits(isOn: boolean): void;
  /** Whether `users` lists deleted users, as locked; true at first. */
  listsDeletedUsers(): boolean;
  setListsDeletedUsers(isOn: boolean): void;
  /** Journey's word for a file that is not uploaded. */
  uploadState(id: string): UploadState;
  setUploadState(id: string, state: UploadState): void;
  /** How far its clock is ahead. */
  setClockSkew(clockSkewMs: number): void;
  nowSeconds(): number;
  /**
   * Runs the work after all work queued before it, so that waiting writers use a single connection.
   */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Passes the entries of a committed write to the listener, in the order of their sequences. */
  reportWrite: WriteListener;
  /** Sets the only listener, which must neither throw nor wait. */
  setWriteListener(listener: WriteListener): void;
}

interface DeploymentRow {
  readonly key: number;
  readonly schema_xml: string;
  readonly deployed_at: Date;
}

export function createDeployment(definition: DeploymentDefinition, row: DeploymentRow, pool: Pool): Deployment {
  let dataModel = parseSchema(row.schema_xml, definition.userModel);
  let deployedAt = row.deployed_at.getTime();
  let password = definition.password;
  let bucket = createBucket(definition.rateLimit ?? defaultRateLimit);
  let isMultiDevice = definition.multiDevice ?? true;
  let hasDeviceEdits = true;
  let listsDeletedUsers = true;
  let clockSkewMs = 0;
  let listener: WriteListener | undefined;
  const uploadStates = new Map<string, UploadState>();
  let turn: Promise<unknown> = Promise.resolve();
  const runExclusive: Deployment['runExclusive'] = (work) => {
    const result = turn.then(work, work);
    turn = result.catch(() => undefined);
    return result;
  };
  return {
    id: definition.id,
    key: row.key,
    definition,
    pool,
    dataModel: () => dataModel,
    deployedAt: () => deployedAt,
    deploy: (schemaXml) =>
      runExclusive(async () => {
        const next = parseSchema(schemaXml, definition.userModel);
        const { rows } = await pool.query<Pick<DeploymentRow, 'deployed_at'>>(
          'update deployment set schema_xml = $2, deployed_at = now() where key = $1 returning deployed_at',
          [row.key, schemaXml],
        );
        dataModel = next;
        deployedAt = rows[0]?.deployed_at.getTime() ?? deployedAt;
        return next;
      }),
    password: () => password,
    setPassword: (next) => {
      password = next;
    },
    isAuthorized: (authorization) => matchesCredentials(authorization, definition, password),
    setRateLimit: (limit) => {
      bucket = createBucket(limit);
    },
    takeToken: () => bucket?.take() ?? { waitMs: 0 },
    isMultiDevice: () => isMultiDevice,
    setMultiDevice: (isOn) => {
      isMultiDevice = isOn;
    },
    hasDeviceEdits: () => hasDeviceEdits,
    setDeviceEdits: (isOn) => {
      hasDeviceEdits = isOn;
    },
    listsDeletedUsers: () => listsDeletedUsers,
    setListsDeletedUsers: (isOn) => {
      listsDeletedUsers = isOn;
    },
    uploadState: (id) => uploadStates.get(id) ?? 'pending',
    setUploadState: (id, state) => {
      uploadStates.set(id, state);
    },
    setClockSkew: (millis) => {
      clockSkewMs = millis;
    },
    nowSeconds: () => Math.floor((Date.now() + clockSkewMs) / 1000),
    runExclusive,
    reportWrite: (entries) => listener?.(entries),
    setWriteListener: (next) => {
      listener = next;
    },
  };
}

/**
 * Returns the row of the deployment, which is created at its first start. A changed schema
 * definition is deployed again.
 */
export async function provisionDeployment(
  definition: DeploymentDefinition,
  pool: Pool,
): Promise<DeploymentRow & { readonly is_filled: boolean }> {
  const { id, schemaXml, firstSequence = '1' } = definition;
  const { rows } = await pool.query<DeploymentRow & { readonly is_filled: boolean }>(
    `insert into deployment as present (id, schema_xml, defined_hash, last_sequence) values ($1, $2, $3, $4::bigint - 1)
     on conflict (id) do update set
       schema_xml = case when present.defined_hash = excluded.defined_hash then present.schema_xml else excluded.schema_xml end,
       defined_hash = excluded.defined_hash
     returning key, schema_xml, deployed_at, is_filled`,
    [id, schemaXml, hashModel(schemaXml), firstSequence],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`The deployment ${id} could not be created`);
  return row;
}

function createBucket(limit: RateLimit | 'off'): TokenBucket | undefined {
  return limit === 'off' ? undefined : createTokenBucket(limit);
}

/** Accepts Basic with the id as user name, `Bearer O:<token>`, or `Token <token>`. */
function matchesCredentials(
  authorization: string | undefined,
  { id, tokens }: DeploymentDefinition,
  password: string,
): boolean {
  const [, scheme = '', given = ''] = /^(\w+) +(\S+)$/.exec(authorization ?? '') ?? [];
  const isToken = (text: string) => Object.values(tokens ?? {}).some((token) => isSame(token, text));
  switch (scheme.toLowerCase()) {
    case 'basic':
      return isSame(Buffer.from(given, 'base64').toString('utf8'), `${id}:${password}`);
    case 'bearer':
      return given.startsWith('O:') && isToken(given.slice('O:'.length));
    case 'token':
      return isToken(given);
    default:
      return false;
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

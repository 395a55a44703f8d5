import type { Endpoint, ResponseOf } from '@portal/contract/endpoint';
import type { SyncConfig } from '@portal/contract/sync/config';
import type { SyncSocketReply } from '@portal/contract/sync/socket';
import { createLogger } from '@portal/kit/logger';
import { createMigratedDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createEnrollmentTemplate } from './api/template.ts';
import { migrationsFolder, migrationTable } from './portal-store/migrations-folder.ts';
import { ScriptedEngine } from './scripted-engine.fixture.ts';
import { quickRetryLimits, testConfig } from './service-config.fixture.ts';
import { createServiceParts, portalSilenceLimits, type ServiceParts } from './setup/service-parts.ts';
import { type Service, startService } from './start-service.ts';

export function createSyncDatabase(): Promise<TestDatabase> {
  return createMigratedDatabase(migrationsFolder, migrationTable);
}

export interface TestService {
  readonly engine: ScriptedEngine;
  readonly service: Service;
  readonly parts: ServiceParts;
  /** The headers of the server's calls and sockets. */
  headers(options?: Partial<CallOptions>): Record<string, string>;
  call<E extends Endpoint>(
    endpoint: E,
    payload?: unknown,
    options?: Partial<CallOptions> & { readonly appId?: string },
  ): Promise<{ status: number; body: ResponseOf<E> }>;
  /** Opens a socket, sends the frame, and collects the replies. */
  socket(frame: unknown, options?: Partial<CallOptions>): TestSocket;
  /** Sends a MERGE and returns the reply. */
  merge(config: unknown, app?: TestApp, options?: Partial<CallOptions>): Promise<SyncSocketReply>;
  destroy(appId: string, options?: Partial<CallOptions>): Promise<SyncSocketReply>;
  stop(): Promise<void>;
}

interface CallOptions {
  readonly user: string;
  readonly environment: string;
  readonly token: string;
}

export interface TestSocket {
  readonly socket: WebSocket;
  /** Parsed frames received so far. */
  readonly frames: readonly unknown[];
  readonly closed: Promise<{ code: number; reason: string }>;
}

export interface TestApp {
  readonly id: string;
  readonly name: string;
  readonly schemaName: string;
}

/** Checks often, so that a test need not wait. */
const backlogTiming = { intervalMs: 50, roundMs: 50 };

export const grain: TestApp = { id: '7a0c', name: 'Grain', schemaName: 'grain_collection' };

/** @param databaseDirectUrl in another database, nothing is heard, as behind a pooler */
export async function startTestService(
  databaseUrl: string,
  engine = new ScriptedEngine(),
  retryLimits = quickRetryLimits,
  databaseDirectUrl = databaseUrl,
  silenceLimits = portalSilenceLimits,
): Promise<TestService> {
  const logger = createLogger({ name: 'sync', level: 'fatal' });
  const parts = await createServiceParts(testConfig(databaseUrl, databaseDirectUrl), logger, silenceLimits);
  const service = await startService(parts, engine, { host: '127.0.0.1', port: 0, retryLimits, backlogTiming });
  const headersOf = ({
    user = 'thandi',
    environment = 'Production',
    token = parts.token.reveal(),
  }: Partial<CallOptions>) => ({
    authorization: `Bearer ${token}`,
    'x-portal-user': encodeURIComponent(user),
    'x-portal-environment': encodeURIComponent(environment),
    'x-request-id': 'test-1',
  });

  const test: TestService = {
    engine,
    service,
    parts,
    headers: (options = {}) => headersOf(options),
    async call({ method, path }, payload, { appId = '', ...options } = {}) {
      const isGet = method === 'GET';
      const url = `${service.address}/api${path.replace(':appId', encodeURIComponent(appId))}`;
      const query = isGet && payload !== undefined ? `?${new URLSearchParams(Object.entries(Object(payload)))}` : '';
      const response = await fetch(`${url}${query}`, {
        method,
        headers: { ...headersOf(options), ...(!isGet && { 'content-type': 'application/json' }) },
        ...(!isGet && { body: JSON.stringify(payload ?? {}) }),
      });
      return { status: response.status, body: JSON.parse(await response.text()) };
    },
    socket(frame, options = {}) {
      const socket = new WebSocket(`${service.address.replace('http', 'ws')}/ws`, { headers: headersOf(options) });
      const frames: unknown[] = [];
      socket.once('open', () => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)));
      socket.on('message', (data) => frames.push(JSON.parse(String(data))));
      let failure = '';
      socket.on('error', ({ message }) => {
        failure = message;
      });
      const closed = new Promise<{ code: number; reason: string }>((resolve) => {
        socket.once('close', (code, reason) => resolve({ code, reason: String(reason) || failure }));
      });
      return { socket, frames, closed };
    },
    async merge(config, app = grain, options = {}) {
      return firstReply(test.socket({ type: 'MERGE', appId: app.id, config, app, dataSource: 'apps-1' }, options));
    },
    destroy: (appId, options = {}) => firstReply(test.socket({ type: 'DESTROY', appId }, options)),
    stop: () => service.stop(),
  };
  return test;
}

/** Starts a service with a database of its own, for all tests of a file. */
export async function startServiceForFile(): Promise<TestService> {
  const database = await createSyncDatabase();
  const test = await startTestService(database.url);
  afterAll(async () => {
    await test.stop();
    await database.drop();
  });
  return test;
}

async function firstReply({ frames, closed }: TestSocket): Promise<SyncSocketReply> {
  const { code, reason } = await closed;
  if (code !== 1000) throw new Error(`The socket was closed with ${code}: ${reason}`);
  return frames[0] as SyncSocketReply;
}

/**
 * Returns a valid configuration for a new integration of the app, in Production, with a deployment
 * of its own.
 */
export function configFor(app: TestApp = grain): SyncConfig {
  return {
    enabled: true,
    enableJourneyToHelium: true,
    enableHeliumToJourney: true,
    helium: { appId: app.id, dbSchema: app.schemaName, baseUrl: 'https://helium-production.example.com' },
    journey: {
      appId: '',
      baseUrl: `https://run-testing-us.example.com/api/v4/${app.id}`,
      restAPICredentials: { userName: '5f0000000000000000000001', password: 'sesame' },
    },
    heliumToJourney: { changeLogMinVersionAsString: '0', changeLogSkipTables: [] },
    journeyToHelium: { oplogMinVersionAsString: '0', oplogSkipObjectTypes: [] },
    journeyToHeliumEnrollment: createEnrollmentTemplate('user'),
  };
}

export function until(state: () => unknown): Promise<unknown> {
  return vi.waitUntil(state, { timeout: 100_000, interval: 10 });
}

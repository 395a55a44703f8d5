import type { AddressInfo } from 'node:net';
import type { SyncConfig } from '@portal/contract/sync/config';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';

/** A received call. */
interface ReceivedCall {
  /** 'POST /api/list' */
  readonly what: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly query: unknown;
  readonly body: unknown;
}

type Answer = (call: ReceivedCall, reply: FastifyReply, request: FastifyRequest) => unknown;

export interface ScriptedSyncService {
  readonly url: string;
  /** Settings for a server that uses this service. */
  readonly sync: { readonly url: string; readonly token: string };
  readonly calls: readonly ReceivedCall[];
  /** Sets the response to a call: 'POST /api/list'. */
  script(what: string, response: Answer): void;
  /** Sets the handler of new sockets and their first frame. */
  scriptSocket(serve: (socket: WebSocket, first: unknown, headers: Readonly<Record<string, unknown>>) => void): void;
  /** Returns the number of open sockets. */
  open(): number;
  /** Removes all scripts and recorded calls. */
  clear(): void;
  stop(): Promise<void>;
}

/** Starts a fake sync service that responds as scripted and records its calls. */
export async function startScriptedSyncService(): Promise<ScriptedSyncService> {
  const token = 'let-the-portal-in';
  const responses = new Map<string, Answer>();
  let calls: ReceivedCall[] = [];
  let serve: Parameters<ScriptedSyncService['scriptSocket']>[0] = () => undefined;
  const app = fastify({ forceCloseConnections: true });
  app.get('/health', () => ({ status: 'ok' }));
  const respond = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method, url, headers, query, body } = request;
    if (headers.authorization !== `Bearer ${token}`)
      return reply.code(401).send({ message: 'No.', requestId: '', kind: '' });
    const call = { what: `${method} ${url.replace(/\?.*/, '')}`, headers, query, body };
    calls.push(call);
    const response = responses.get(call.what);
    if (!response)
      return reply.code(404).send({ message: `Not scripted: ${call.what}`, requestId: 's-1', kind: 'not-found' });
    return response(call, reply, request);
  };
  app.all('/api/*', respond);
  app.all('/webhooks', respond);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const sockets = new WebSocketServer({ server: app.server, path: '/ws', maxPayload: 1024 * 1024 });
  sockets.on('connection', (socket, { headers }) => {
    socket.on('error', () => undefined);
    if (headers.authorization !== `Bearer ${token}`) return socket.close(4401);
    socket.once('message', (data) => serve(socket, JSON.parse(data.toString()), headers));
  });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    sync: { url, token },
    get calls() {
      return calls;
    },
    script: (what, response) => void responses.set(what, response),
    scriptSocket(next) {
      serve = next;
    },
    open: () => sockets.clients.size,
    clear() {
      responses.clear();
      calls = [];
      serve = () => undefined;
    },
    async stop() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      await app.close();
    },
  };
}

const journeyBaseUrl = 'https://run-testing-us.journeyapps.com/api/v4/5f1c';

export function createIntegration(
  { id, name }: { readonly id: string; readonly name: string },
  overrides: Partial<SyncIntegration> = {},
): SyncIntegration {
  return {
    id,
    appName: name,
    environment: 'Production',
    dataSource: 'helium-app-1',
    status: 'Enabled',
    heliumBaseUrl: 'https://helium.example.com',
    journeyBaseUrl,
    journeyEnvironment: 'Testing',
    heliumSyncStatus: 'Live',
    journeySyncStatus: 'Live',
    heliumLastUpdated: 1_700_000_000_000,
    journeyLastUpdated: null,
    lastPinged: 1_700_000_000_000,
    journeyUserName: '5f1c',
    journeyPassword: '********',
    health: 'Fresh',
    heliumToJourneyLagMs: 0,
    journeyToHeliumLagMs: 0,
    haltReason: null,
    haltedSince: null,
    needsDecision: false,
    changeLogVersion: '9007199254740993',
    oplogVersion: '7',
    waiting: 0,
    parked: 0,
    deadLetters: 0,
    skipped: 0,
    keptRows: 0,
    conflicts: 0,
    waitingFiles: 0,
    failedFiles: 0,
    rounded: 0,
    differences: 0,
    mappingWarnings: { count: 0, first: [] },
    pausedObjects: { count: 0, first: [] },
    waitingEnrollment: 0,
    changeLogBacklog: null,
    oplogBacklog: null,
    horizonHeldBy: null,
    changedAt: '2026-01-01T00:00:00.000Z',
    changedBy: 'demo',
    ...overrides,
  };
}

export function createConfig(
  { id, schemaName }: { readonly id: string; readonly schemaName: string },
  password?: string,
): SyncConfig {
  return {
    enabled: true,
    enableJourneyToHelium: true,
    enableHeliumToJourney: true,
    helium: { appId: id, dbSchema: schemaName, baseUrl: 'https://helium.example.com' },
    journey: {
      appId: '5f1c',
      baseUrl: journeyBaseUrl,
      restAPICredentials: { userName: '5f1c', ...(password !== undefined && { password }) },
    },
    heliumToJourney: { changeLogMinVersionAsString: '0', changeLogSkipTables: [] },
    journeyToHelium: { oplogMinVersionAsString: '0', oplogSkipObjectTypes: [] },
    journeyToHeliumEnrollment: {
      type: 'user',
      enabled: false,
      heliumObjectName: 'nurse',
      journeyObjectName: 'nurse',
      updateIntervalMins: 15,
    },
  };
}

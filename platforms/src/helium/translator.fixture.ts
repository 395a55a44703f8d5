import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { readAppConfig, writeAppConfig } from './dialect/app-config.ts';
import { readAppList } from './dialect/app-list.ts';
import { defaultDialect, type HeliumDialect, heliumDialect } from './dialect/dialect.config.ts';
import { readFields, writeFields } from './dialect/fields.ts';
import { fillPath, isJsonObject, readPath, writePath } from './dialect/json-path.ts';
import { listTimeouts, unitsPerMinute } from './dialect/process-timeouts.ts';
import { readScheduledEvents, writeEvent } from './dialect/scheduled-events.ts';

export interface Translator {
  readonly baseUrl: string;
  /** The method and path of each call, as it arrived. */
  readonly calls: readonly string[];
  /** Whether changes are accepted without being made. Default: false. */
  ignoresChanges: boolean;
  /** Changes each translated response. Default: no change. */
  distort: (document: unknown) => unknown;
  stop(): Promise<void>;
}

interface IncomingCall {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** False if the connection was lost in the middle. */
  readonly isComplete: boolean;
}

/** Calls the simulator with the caller's credentials. */
type Ask = (method: string, path: string, body?: string) => Promise<Answer>;

/**
 * Starts a server that offers the simulator's administration in another dialect. A change of an
 * app's configuration replaces all of it: what is not sent gets its default.
 */
export async function startTranslator(target: string, dialect: HeliumDialect): Promise<Translator> {
  const calls: string[] = [];
  const translator = { calls, ignoresChanges: false, distort: (document: unknown) => document };
  const server = createServer(async (incoming, response) => {
    const call = await readCall(incoming);
    calls.push(`${call.method} ${call.path}`);
    const ask: Ask = (method, path, body = '') => forward(target, { ...call, method, path, body }, response);
    try {
      const route = findRoute(dialect, call.path);
      if (route === undefined) return send(response, await ask(call.method, call.path, call.body));
      const translate = route.translate[call.method];
      response.setHeader('allow', Object.keys(route.translate).join(', '));
      if (translate === undefined) return send(response, plain(call.method === 'OPTIONS' ? 204 : 405, ''));
      const isChange = call.method !== 'GET';
      if (isChange && translator.ignoresChanges) return send(response, plain(200, 'Done.'));
      const answer = await translate(ask, route.appId, call.body);
      send(response, isChange ? answer : mapJson(answer, translator.distort));
    } catch {
      incoming.socket.destroy();
    }
  });
  // Log sockets pass unchanged.
  server.on('upgrade', (incoming, near: Socket, head) => passSocket(target, incoming, near, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(translator, {
    baseUrl: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

type Translate = (ask: Ask, appId: string, body: string) => Promise<Answer>;

interface Route {
  readonly appId: string;
  readonly translate: Readonly<Record<string, Translate>>;
}

/** Returns undefined for paths outside the administration. The simulator's own paths are hidden. */
function findRoute(dialect: HeliumDialect, path: string): Route | undefined {
  const { appList, appConfig, scheduledEvents } = dialect;
  const routes: [template: string, translate: Route['translate']][] = [
    [appList.read.path, { [appList.read.method]: (ask) => listApps(dialect, ask) }],
    [
      appConfig.read.path,
      {
        [appConfig.read.method]: (ask, appId) => readConfig(dialect, ask, appId),
        [appConfig.write.method]: (ask, appId, body) => replaceConfig(dialect, ask, appId, body),
      },
    ],
    [
      scheduledEvents.read.path,
      {
        [scheduledEvents.read.method]: (ask, appId) => listEvents(dialect, ask, appId),
        [scheduledEvents.write.method]: (ask, appId, body) => setState(dialect, ask, appId, body),
      },
    ],
  ];
  for (const [template, translate] of routes) {
    const pattern = template.replace(/[.?]/g, '\\$&').replace('{appId}', '([^/]*)');
    const match = new RegExp(`^${pattern}$`).exec(path);
    if (match) return { appId: decodeURIComponent(match[1] ?? ''), translate };
  }
  const isHidden = /^\/helium\/api|app-exec-admin\/(app|scheduled)/.test(path);
  return isHidden ? { appId: '', translate: { GET: async () => plain(404, '') } } : undefined;
}

async function listApps({ appList }: HeliumDialect, ask: Ask): Promise<Answer> {
  return mapJson(await ask('GET', defaultDialect.appList.read.path), (document) => {
    const { entries } = readAppList(defaultDialect.appList, document);
    const list = entries.map((app) => writeFields(appList.fields, app, { version: 3 }));
    return writePath({ page: 1 }, appList.list, list);
  });
}

async function readConfig({ appConfig }: HeliumDialect, ask: Ask, appId: string): Promise<Answer> {
  const path = fillPath(defaultDialect.appConfig.read.path, { appId });
  const whole = { ...appConfig, write: { ...appConfig.write, style: 'whole' as const } };
  return mapJson(await ask('GET', path), (document) => {
    const { skipped: _, otherFields: __, ...config } = readAppConfig(defaultDialect.appConfig, document);
    return writeAppConfig(whole, config, writePath({}, appConfig.object, { owner: 'operations' }));
  });
}

async function replaceConfig({ appConfig }: HeliumDialect, ask: Ask, appId: string, body: string): Promise<Answer> {
  const { fields, timeouts, object: position, disabled, locked } = appConfig;
  const path = fillPath(defaultDialect.appConfig.read.path, { appId });
  const current = await ask('GET', path);
  if (current.status !== 200) return current;
  const old = readAppConfig(defaultDialect.appConfig, JSON.parse(current.text));
  const sent = readPath(JSON.parse(body), position);
  const values = readFields(fields, isJsonObject(sent) ? sent : {});
  const removed = Object.keys(old.processEntryPointTimeouts).map((name) => [name, null]);
  const set = listTimeouts(timeouts, values.processEntryPointTimeouts ?? (timeouts.form === 'list' ? [] : {}));
  const patch = {
    processEntryPointTimeouts: Object.fromEntries([
      ...removed,
      ...set.map(([name, timeout]) => [
        name,
        timeout === null ? null : Number(timeout) / unitsPerMinute[timeouts.unit],
      ]),
    ]),
    maxDatabaseResults: values.maxDatabaseResults ?? 1000,
    disabled: values.disabled === disabled.yes,
    disabledMessage: values.disabledMessage ?? null,
    locked: values.locked === locked.yes,
    lockedMessage: values.lockedMessage ?? null,
  };
  return ask('POST', path, JSON.stringify(patch));
}

async function listEvents({ scheduledEvents }: HeliumDialect, ask: Ask, appId: string): Promise<Answer> {
  const path = fillPath(defaultDialect.scheduledEvents.read.path, { appId });
  return mapJson(await ask('GET', path), (document) => {
    const { entries } = readScheduledEvents(defaultDialect.scheduledEvents, document);
    const list = entries.map((event) => ({ ...writeEvent(scheduledEvents, event), retries: 0 }));
    return writePath({}, scheduledEvents.list, list);
  });
}

async function setState({ scheduledEvents }: HeliumDialect, ask: Ask, appId: string, body: string): Promise<Answer> {
  const { write, states, fields: readNames } = scheduledEvents;
  const fields = write.style === 'whole' ? readNames : write.fields;
  const sent: unknown = JSON.parse(body);
  const { unit, event, state } = readFields(fields, isJsonObject(sent) ? sent : {});
  const toggle = {
    scheduledEvent: fields.unit === fields.event ? unit : `${unit}:${event}`,
    state: state === states.enabled ? 'Enabled' : 'Disabled',
  };
  return ask('POST', fillPath(defaultDialect.scheduledEvents.write.path, { appId }), JSON.stringify(toggle));
}

function mapJson(answer: Answer, change: (document: unknown) => unknown): Answer {
  if (answer.status !== 200 || !answer.isComplete || !answer.contentType.includes('json')) return answer;
  return { ...answer, text: JSON.stringify(change(JSON.parse(answer.text))) };
}

function plain(status: number, text: string): Answer {
  return { status, contentType: 'text/plain; charset=utf-8', text, isComplete: true };
}

async function readCall(incoming: IncomingMessage): Promise<IncomingCall> {
  const { method = 'GET', url: path = '/', headers } = incoming;
  return { method, path, authorization: headers.authorization, body: (await readText(incoming)).text };
}

/** Rejects if the connection is lost before the response. Ends when the caller disconnects. */
function forward(target: string, { method, path, authorization, body }: IncomingCall, caller: ServerResponse) {
  return new Promise<Answer>((resolve, reject) => {
    const headers = {
      ...(authorization !== undefined && { authorization }),
      ...(body !== '' && { 'content-type': 'application/json' }),
    };
    const onward = request(target + path, { method, headers, agent: false }, async (response) => {
      const { statusCode: status = 502, headers: received } = response;
      resolve({ status, contentType: received['content-type'] ?? '', ...(await readText(response)) });
    });
    caller.once('close', () => onward.destroy());
    onward.on('error', reject);
    onward.end(body);
  });
}

async function readText(message: IncomingMessage): Promise<{ text: string; isComplete: boolean }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk);
  } catch {
    // The response ends where it broke off.
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isComplete: message.complete };
}

function send(response: ServerResponse, { status, contentType, text, isComplete }: Answer): void {
  const length = Buffer.byteLength(text) + (isComplete ? 0 : 1);
  response.writeHead(status, { 'content-type': contentType, ...(status !== 204 && { 'content-length': length }) });
  if (isComplete) response.end(text);
  else response.write(text, () => response.destroy());
}

function passSocket(target: string, incoming: IncomingMessage, near: Socket, head: Buffer): void {
  const far = connect(Number(new URL(target).port), '127.0.0.1');
  const headers = incoming.rawHeaders.map((word, index) => word + (index % 2 === 0 ? ': ' : '\r\n')).join('');
  far.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${headers}\r\n`);
  far.write(head);
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
  near.once('close', () => far.destroy());
}

/** Everything that may differ does. */
export const otherDialect: HeliumDialect = heliumDialect.parse({
  appList: {
    read: { path: '/helium/api/v2/apps' },
    list: 'content',
    fields: { id: 'uuid', name: 'appName', fqdn: 'hostname', schemaName: 'database.schema' },
  },
  appConfig: {
    read: { path: '/api/1/app-exec-admin/apps/{appId}/config' },
    write: { method: 'PUT', path: '/api/1/app-exec-admin/apps/{appId}/config', style: 'whole' },
    object: 'configuration',
    fields: {
      processEntryPointTimeouts: 'processTimeoutsSeconds',
      maxDatabaseResults: 'maxResults',
      disabled: 'isDisabled',
      disabledMessage: 'disabledReason',
      locked: 'isLocked',
      lockedMessage: 'lockReason',
    },
    timeouts: { unit: 'seconds', form: 'list', fields: { entryPoint: 'name', timeout: 'seconds' } },
    disabled: { yes: 'Y', no: 'N' },
    locked: { yes: 1, no: 0 },
  },
  scheduledEvents: {
    read: { path: '/api/1/app-exec-admin/scheduled-functions/{appId}' },
    write: {
      method: 'PUT',
      path: '/api/1/app-exec-admin/scheduled-functions/{appId}',
      style: 'whole',
    },
    list: 'data.items',
    fields: { schedule: 'cronExpression', unit: 'qualifiedName', event: 'qualifiedName', state: 'active' },
    states: { enabled: true, disabled: false },
  },
});

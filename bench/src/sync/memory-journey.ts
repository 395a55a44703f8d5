/**
 * Journey's API for one deployment, answered from memory. It costs almost nothing, so a benchmark
 * with it shows what the sync itself can do. It knows only what the sync of the benchmark's app
 * calls, and checks no values; `memory-journey.test.ts` compares its responses with the
 * simulator's.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type DataModel, dataModelBody, type Model } from '@portal/simulators/journey/data-model';
import { parseSchema } from '@portal/simulators/journey/schema-xml';

type Fields = Readonly<Record<string, unknown>>;

interface Operation {
  readonly method: 'put' | 'patch' | 'delete';
  readonly object: Fields & { readonly type: string; readonly id: string };
}

interface StoredObject {
  readonly type: string;
  /** Without nulls. */
  readonly fields: Fields;
  /** As it is sent. */
  readonly view: string;
}

export interface MemoryJourney {
  /** Without the deployment's path. */
  readonly baseUrl: string;
  /** Number of entries in the op-log. */
  opLogHead(): number;
  /** Mean number of operations in the batches so far. */
  operationsPerBatch(): number;
  /** Saves objects as a device does. */
  edit(objects: readonly Operation['object'][]): void;
  stop(): Promise<void>;
}

export interface MemoryJourneyOptions {
  readonly id: string;
  readonly password: string;
  readonly schemaXml: string;
}

export async function startMemoryJourney({ id, password, schemaXml }: MemoryJourneyOptions): Promise<MemoryJourney> {
  const store = new ObjectStore(parseSchema(schemaXml));
  const authorization = `Basic ${btoa(`${id}:${password}`)}`;
  const base = `/api/v4/${id}/`;
  const info = JSON.stringify({ last_deployed_at: new Date().toISOString() });
  let batches = 0;
  let operations = 0;
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://journey');
    if (!pathname.startsWith(base)) return toProblem(404, 'ACCOUNT_NOT_FOUND');
    if (request.headers.authorization !== authorization) return toProblem(401, 'AUTHENTICATION_FAILED');
    const call = `${request.method} ${pathname.slice(base.length)}`;
    if (call === 'GET datamodel.json')
      return request.headers['if-none-match'] === store.tag ? [304, ''] : [200, store.dataModel];
    if (call === 'GET info.json') return [200, info];
    if (call === 'GET oplog.json') return [200, store.readOpLog(searchParams)];
    if (call === 'POST batch.json') {
      const batch: { operations: Operation[] } = JSON.parse(await text(request));
      batches += 1;
      operations += batch.operations.length;
      return [200, `{"stop_on_error":false,"operations":[${batch.operations.map((one) => store.write(one)).join()}]}`];
    }
    const [, type = '', action] = /^(?:GET|POST) objects\/(\w+)\/(count|query)\.json$/.exec(call) ?? [];
    if (!store.hasModel(type)) return toProblem(404, 'ROUTE_ERROR');
    return [200, action === 'count' ? store.count(type) : store.query(type, JSON.parse(await text(request)))];
  };
  const server = createServer((request, response) => {
    answer(request).then(
      (answered) => send(response, store.tag, answered),
      (error: unknown) => send(response, store.tag, toProblem(500, String(error))),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    opLogHead: () => store.opLogHead,
    operationsPerBatch: () => operations / Math.max(1, batches),
    edit: (objects) => {
      for (const object of objects) store.write({ method: 'put', object });
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

type Answer = readonly [status: number, body: string];

function toProblem(status: number, type: string): Answer {
  return [status, JSON.stringify({ type, title: null, detail: null })];
}

function send(response: ServerResponse, etag: string, [status, body]: Answer): void {
  const headers = { etag, 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, status === 304 ? headers : { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(status === 304 ? undefined : body);
}

/** The objects and the op-log, kept as the texts that are sent. */
class ObjectStore {
  readonly dataModel: string;
  /** Of the data model, in quotation marks as HTTP wants it. */
  readonly tag: string;
  readonly #models: ReadonlyMap<string, Model>;
  readonly #hash: string;
  readonly #objects = new Map<string, StoredObject>();
  /** The first one has the sequence 1. */
  readonly #entries: string[] = [];
  /** Ids by type in their order; emptied by writes that change them. */
  readonly #ids = new Map<string, readonly string[]>();

  constructor({ models, appUser, hash }: DataModel) {
    this.#models = models;
    this.#hash = hash;
    this.tag = `"${hash}"`;
    this.dataModel = JSON.stringify({ ...dataModelBody(models, appUser), datamodel_hash: hash });
  }

  get opLogHead(): number {
    return this.#entries.length;
  }

  hasModel(type: string): boolean {
    return this.#models.has(type);
  }

  count(type: string): string {
    return `{"count":${this.#listIds(type).length}}`;
  }

  /** Runs an operation, and returns its result in the response. */
  write({ method, object: { type, id, ...values } }: Operation): string {
    const before = this.#objects.get(id);
    const name = `{"method":"${method}","object":{"type":"${type}","id":"${id}"}`;
    if (before === undefined && method !== 'put') {
      return `${name},"success":false,"error":{"type":"OBJECT_NOT_FOUND","title":null,"detail":null}}`;
    }
    if (method === 'delete') {
      this.#objects.delete(id);
      this.#ids.delete(type);
      this.#log('delete', `{"id":"${id}","type":"${type}","updated_at":"${readSecond()}"}`);
    } else {
      this.#save(type, id, before, method === 'patch' ? { ...before?.fields, ...values } : values);
    }
    return `${name},"success":true}`;
  }

  /** A write that changes nothing has no entry. */
  #save(type: string, id: string, before: StoredObject | undefined, values: Fields): void {
    const fields = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
    const model = this.#models.get(type);
    if (model === undefined) throw new Error(`There is no model '${type}'.`);
    if (before !== undefined && [...model.fields.keys()].every((key) => before.fields[key] === fields[key])) return;
    const view = JSON.stringify({ id, type, updated_at: readSecond(), ...viewFields(model, fields) });
    this.#objects.set(id, { type, fields, view });
    if (before === undefined) this.#ids.delete(type);
    this.#log(before === undefined ? 'create' : 'update', view);
  }

  #log(operation: 'create' | 'update' | 'delete', view: string): void {
    const sequence = this.#entries.length + 1;
    this.#entries.push(
      `{"sequence_id":"${sequence}","app_id":null,"operation":"${operation}","events":[],"object":${view}}`,
    );
  }

  readOpLog(query: URLSearchParams): string {
    const limit = Number(query.get('limit') ?? 400);
    const from = query.has('tail') ? Math.max(0, this.opLogHead - limit) : Number(query.get('start')) - 1;
    const to = Math.max(from, Math.min(from + limit, this.opLogHead));
    const entries = this.#entries.slice(from, to).join();
    const hasMore = to < this.opLogHead;
    return `{"entries":[${entries}],"has_more":${hasMore},"next_request_start":"${to + 1}","datamodel_hash":"${this.#hash}"}`;
  }

  /** Knows the three expressions that the client sends. */
  query(type: string, { expression, arguments: [asked], limit }: ObjectQuery): string {
    const found = this.#findIds(type, expression, asked);
    const views = found.slice(0, limit).map((id) => this.#objects.get(id)?.view);
    return `{"objects":[${views.join()}],"count":${views.length},"more":${found.length > limit}}`;
  }

  #findIds(type: string, expression: string, asked: string | readonly string[]): readonly string[] {
    if (typeof asked !== 'string' && expression === 'id in ?')
      return asked.filter((id) => this.#objects.get(id)?.type === type).toSorted();
    if (typeof asked === 'string' && expression === 'id >= ?') return this.#listIds(type).filter((id) => id >= asked);
    if (typeof asked === 'string' && expression === 'id > ?') return this.#listIds(type).filter((id) => id > asked);
    throw new Error(`The expression '${expression}' is not known.`);
  }

  #listIds(type: string): readonly string[] {
    const known = this.#ids.get(type);
    if (known !== undefined) return known;
    const ids = [...this.#objects].filter(([, object]) => object.type === type).map(([id]) => id);
    this.#ids.set(type, ids.sort());
    return ids;
  }
}

interface ObjectQuery {
  readonly expression: string;
  readonly arguments: readonly [string | readonly string[]];
  readonly limit: number;
}

/**
 * Booleans are sent with their label, and the display text of the benchmark's models is their name.
 */
function viewFields({ fields }: Model, values: Fields): Fields {
  const view: Record<string, unknown> = { display: values.name ?? '' };
  for (const { name, type, options } of fields.values()) {
    const value = values[name] ?? null;
    view[name] = type === 'boolean' ? (options.find(({ key }) => key === value) ?? null) : value;
  }
  return view;
}

/** Journey writes whole seconds. */
function readSecond(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

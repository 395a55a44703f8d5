import { readFileSync } from 'node:fs';
import { z } from 'zod';

type Json = z.infer<ReturnType<typeof z.json>>;

const parameter = z.object({
  name: z.string(),
  in: z.enum(['header', 'query', 'path', 'cookie']),
  required: z.boolean().default(false),
  schema: z.json(),
});

/** One call, as it was sent and answered. */
export interface RecordedCall {
  readonly method: string;
  /** Without the base of the API. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly status: number;
  readonly body: unknown;
}

/**
 * Compares calls with a document in OpenAPI 3.0: the parameters of requests, and the bodies of
 * responses. It knows the keywords that documents of PagerDuty use for what the portal sends and
 * reads.
 */
export class OpenApiDocument {
  readonly #root: Json;

  constructor(file: string) {
    this.#root = z.json().parse(JSON.parse(readFileSync(file, 'utf8')));
  }

  /** Returns what the document does not describe so; nothing if the call is as described. */
  findViolations(call: RecordedCall): string[] {
    const path = this.#findPath(call.path);
    const operation = path === undefined ? undefined : this.#get('paths', path, call.method.toLowerCase());
    if (operation === undefined) return [`${call.method} ${call.path} is not described`];
    return [
      ...this.#checkParameters(operation, call),
      ...this.#checkBody(this.#response(operation, call.status), call),
    ].map((text) => `${call.method} ${path} ${call.status}: ${text}`);
  }

  /** Returns the document's example of a response. */
  findExample(path: string, status: number): unknown {
    const operation = this.#get('paths', path, 'get');
    const content = this.#in(this.#response(operation, status), 'content', 'application/json');
    const examples = this.#in(content, 'examples');
    const [first] = isObject(examples) ? Object.values(examples) : [];
    return this.#in(content, 'example') ?? this.#in(first, 'value');
  }

  #findPath(path: string): string | undefined {
    const paths = this.#get('paths');
    const described = isObject(paths) ? Object.keys(paths) : [];
    return described.find((template) => new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path));
  }

  #checkParameters(operation: Json, { headers, query }: RecordedCall): string[] {
    const described = this.#in(operation, 'parameters');
    const parameters = (Array.isArray(described) ? described : []).map((one) => parameter.parse(this.#resolve(one)));
    const known = new Set(parameters.flatMap((one) => (one.in === 'query' ? [one.name] : [])));
    const unknown = [...query.keys()].filter((name) => !known.has(name)).map((name) => `unknown parameter ${name}`);
    const wrong = parameters.flatMap((one) => {
      if (one.in !== 'header' && one.in !== 'query') return [];
      const value = one.in === 'header' ? headers[one.name.toLowerCase()] : (query.get(one.name) ?? undefined);
      if (value === undefined) return one.required ? [`no ${one.in} ${one.name}`] : [];
      return this.#check(one.schema, this.#convert(one.schema, value), `${one.in} ${one.name}`);
    });
    return [...unknown, ...wrong];
  }

  /** Converts a parameter, which is always a text, to what its schema describes. */
  #convert(schema: Json, value: string): unknown {
    const type = this.#in(schema, 'type');
    if (type === 'boolean' && ['true', 'false'].includes(value)) return value === 'true';
    return type === 'array' ? [value] : value;
  }

  #response(operation: Json | undefined, status: number): Json | undefined {
    return this.#in(operation, 'responses', String(status));
  }

  #checkBody(response: Json | undefined, { body }: RecordedCall): string[] {
    const schema = this.#in(response, 'content', 'application/json', 'schema');
    return schema === undefined ? [] : this.#check(schema, body, 'body');
  }

  #check(described: Json, value: unknown, at: string): string[] {
    const schema = this.#resolve(described);
    if (!isObject(schema)) return [];
    if (value === null) return schema.nullable === true ? [] : [`${at} is null`];
    if (Array.isArray(schema.allOf)) return schema.allOf.flatMap((one) => this.#check(one, value, at));
    const choices = schema.oneOf ?? schema.anyOf;
    if (Array.isArray(choices)) {
      const results = choices.map((one) => this.#check(one, value, at));
      return results.some((found) => found.length === 0) ? [] : [`${at} is none of the described kinds`];
    }
    const { type } = schema;
    if (Array.isArray(schema.enum) && !schema.enum.some((one) => one === value)) return [`${at} is ${String(value)}`];
    if (type === 'array') return this.#checkItems(schema, value, at);
    if (type === 'object' || schema.properties !== undefined) return this.#checkProperties(schema, value, at);
    if (type === 'integer') return Number.isInteger(value) ? [] : [`${at} is no integer`];
    if (type === 'string' && schema.format === 'date-time')
      return typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value)
        ? []
        : [`${at} is no time`];
    return typeof type !== 'string' || typeof value === type ? [] : [`${at} is no ${type}`];
  }

  #checkItems(schema: Record<string, Json>, value: unknown, at: string): string[] {
    if (!Array.isArray(value)) return [`${at} is no list`];
    return value.flatMap((item, index) => this.#check(schema.items ?? {}, item, `${at}[${index}]`));
  }

  #checkProperties(schema: Record<string, Json>, value: unknown, at: string): string[] {
    if (!isObject(value)) return [`${at} is no object`];
    const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
    const properties = isObject(schema.properties) ? schema.properties : {};
    return [
      ...required.filter((name) => value[name] === undefined).map((name) => `${at}.${name} is missing`),
      ...Object.entries(value).flatMap(([name, one]) => {
        const described = properties[name] ?? (isObject(schema.additionalProperties) && schema.additionalProperties);
        return described ? this.#check(described, one, `${at}.${name}`) : [];
      }),
    ];
  }

  #get(...keys: string[]): Json | undefined {
    return this.#in(this.#root, ...keys);
  }

  #in(from: Json | undefined, ...keys: string[]): Json | undefined {
    let value = from === undefined ? undefined : this.#resolve(from);
    for (const key of keys) {
      const next = isObject(value) ? value[key] : Array.isArray(value) ? value[Number(key)] : undefined;
      value = next === undefined ? undefined : this.#resolve(next);
    }
    return value;
  }

  #resolve(value: Json): Json {
    if (!isObject(value) || typeof value.$ref !== 'string') return value;
    const keys = value.$ref
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    return this.#get(...keys) ?? {};
  }
}

function isObject<Value>(value: Value): value is Value & Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

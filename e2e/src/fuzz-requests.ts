/** Random requests to both services, derived from the contract. */
import type { Endpoint } from '@portal/contract/endpoint';
import { endpoints } from '@portal/contract/endpoints';
import { usualBodyBytes } from '@portal/contract/rules';
import { deleteSession, makeSessionReadOnly } from '@portal/contract/session';
import { endSessionsOfUser } from '@portal/contract/sessions';
import { syncEndpoints } from '@portal/contract/sync/endpoints';
import fc from 'fast-check';
import type * as z from 'zod/mini';

export interface FuzzRequest {
  readonly service: 'server' | 'sync';
  readonly caller: 'stranger' | 'user' | 'basic';
  readonly endpoint: Endpoint;
  /** The path with its parameters and query. */
  readonly path: string;
  readonly body: string | undefined;
}

const maxDepth = 32;
const maxElements = 20_000;

/**
 * Returns an arbitrary request. `known` are names and ids that exist, so that some requests get
 * past the first checks.
 */
export function arbitraryRequest(known: readonly string[]): fc.Arbitrary<FuzzRequest> {
  // Ending the session would make the user of all further requests a stranger.
  const ofServer = endpoints
    .filter((each) => each !== deleteSession && each !== makeSessionReadOnly && each !== endSessionsOfUser)
    .map((endpoint) => ({ endpoint, service: 'server' as const }));
  const ofSync = syncEndpoints.map((endpoint) => ({ endpoint, service: 'sync' as const }));
  return fc
    .record({
      target: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ofServer) }, fc.constantFrom(...ofSync)),
      caller: fc.constantFrom('stranger', 'user', 'user', 'user', 'basic'),
    })
    .chain(({ target: { endpoint, service }, caller }) =>
      fc.record({
        service: fc.constant(service),
        caller: fc.constant(caller),
        endpoint: fc.constant(endpoint),
        path: arbitraryPath(endpoint, service === 'sync' ? '/api' : '', known),
        body: endpoint.method === 'GET' ? fc.constant(undefined) : arbitraryBody(endpoint, known),
      }),
    );
}

function arbitraryPath(
  { method, path, request }: Endpoint,
  prefix: string,
  known: readonly string[],
): fc.Arbitrary<string> {
  const names = [...path.matchAll(/:\w+/g)].map(([name]) => name);
  const param = fc.oneof(
    fc.constantFrom('null', '..', '\0', '😀', '%', ...known),
    ...[1, 100, 101, 200, 201, 10_000].map((length) => fc.constant('x'.repeat(length))),
  );
  const query = method === 'GET' && request !== null ? arbitraryValue(request, known) : fc.constant({});
  return fc.tuple(fc.tuple(...names.map(() => param)), query).map(([params, fields]) => {
    const resolved = names.reduce((rest, name, at) => rest.replace(name, encodeURIComponent(params[at] ?? '')), path);
    const search = new URLSearchParams(Object.entries(Object(fields)).map(([name, value]) => [name, String(value)]));
    // Node's HTTP parser rejects longer addresses.
    return `${prefix}${resolved}?${search}`.slice(0, 14_000).replace(/%[0-9A-F]?$/, '');
  });
}

function arbitraryBody(endpoint: Endpoint, known: readonly string[]): fc.Arbitrary<string> {
  const { request, cost } = endpoint;
  const valid = request === null ? fc.constant({}) : arbitraryValue(request, known);
  const json = (value: fc.Arbitrary<unknown>) => value.map((each) => JSON.stringify(each) ?? '');
  return fc.oneof(
    { weight: 8, arbitrary: json(valid) },
    { weight: 8, arbitrary: json(withOddField(valid)) },
    { weight: 2, arbitrary: oddText },
    { weight: 1, arbitrary: deepText },
    { weight: 1, arbitrary: wideText },
    // Large ones are rare, because sending them takes most of the time.
    { weight: cost.maxBodyBytes > usualBodyBytes ? 1 : 2, arbitrary: sizedText(json(valid), cost.maxBodyBytes) },
  );
}

/** Values that a careless or malicious caller might send for any field. */
const oddValue = fc.oneof(
  fc.constantFrom(null, true, -1, 0, 1e308, 1.5, 2 ** 53, '', ' ', '\0', '\ud800', '😀', 'a\r\nb', '__proto__', {}, []),
  fc.jsonValue({ maxDepth: 3 }),
  ...[501, 10_001, 15_000].map((length) => fc.constant('x'.repeat(length))),
  ...[501, 1_001, 5_000].flatMap((length) => [
    fc.constant(Array.from({ length }, (_, at) => at)),
    fc.constant(Array.from({ length }, () => '')),
    fc.constant(Array.from({ length }, () => '-\u0001n')),
  ]),
);

function withOddField(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(valid, oddValue, fc.nat()).map(([value, odd, at]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return odd;
    const names = Object.keys(value);
    const name = names[at % Math.max(1, names.length)] ?? 'more';
    return { ...value, [name]: odd };
  });
}

const oddText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'null',
    '[]',
    '7',
    '"a"',
    '{',
    '{"a":',
    '[1,]',
    '{"__proto__":{"a":1}}',
    '"\\ud800"',
    '\ufeff{}',
  ),
  fc.constant('{"constructor":{"prototype":{"a":1}},"appId":"\\u0000"}'),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

const deepText = fc
  .record({
    depth: fc.constantFrom(maxDepth - 1, maxDepth, maxDepth + 1, 7_000, 200_000),
    pair: fc.constantFrom(['[', ']'] as const, ['{"a":', '}'] as const),
    isClosed: fc.boolean(),
  })
  .map(({ depth, pair: [opening, closing], isClosed }) =>
    isClosed ? `${opening.repeat(depth)}0${closing.repeat(depth)}` : opening.repeat(depth),
  );

const wideText = fc
  .record({
    amount: fc.constantFrom(5_000, maxElements / 2, maxElements - 10, maxElements + 1, 200_000),
    element: fc.constantFrom('0', '""', '{}', '[]', 'null'),
    hasKeys: fc.boolean(),
    field: fc.constantFrom('a', 'appIds', 'appNames', 'nos', 'config'),
  })
  .map(({ amount, element, hasKeys, field }) => {
    const parts = Array.from({ length: amount }, (_, at) => (hasKeys ? `"k${at}":${element}` : element));
    return hasKeys ? `{"b":"\\u0041",${parts}}` : `{"b":"\\u0041","${field}":[${parts}]}`;
  });

/** Texts just below, at and above the largest accepted body. */
function sizedText(valid: fc.Arbitrary<string>, maxBytes: number): fc.Arbitrary<string> {
  const sizes = [usualBodyBytes, maxBytes].flatMap((limit) => [limit - 1, limit, limit + 1]);
  return fc
    .record({ text: valid, bytes: fc.constantFrom(...sizes), isField: fc.boolean() })
    .map(({ text, bytes, isField }) => {
      const padding = Math.max(0, bytes - Buffer.byteLength(text));
      return isField ? `{"padding":"${'x'.repeat(Math.max(0, bytes - 14))}"}` : text + ' '.repeat(padding);
    });
}

/** Returns values that the schema accepts, and some just beyond its limits. */
function arbitraryValue(schema: z.core.$ZodType, known: readonly string[]): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const limits = (def.checks ?? []).flatMap(({ _zod: { def: check } }) =>
    'maximum' in check ? [Number(check.maximum)] : [],
  );
  switch (def.type) {
    case 'string':
      return fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom('', '0', '2026-01-01', ...known) },
        { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
        ...limits.flatMap((limit) => [limit, limit + 1].map((length) => fc.constant('x'.repeat(length)))),
      );
    case 'array':
      return fc.oneof(
        { weight: 4, arbitrary: fc.array(arbitraryValue(def.element, known), { maxLength: 3 }) },
        ...limits.flatMap((limit) =>
          [limit, limit + 1].map((length) =>
            arbitraryValue(def.element, known).map((element) => Array.from({ length }, () => element)),
          ),
        ),
      );
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(def.shape).map(([name, part]) => [name, arbitraryValue(part, known)])),
        { requiredKeys: Object.keys(def.shape).filter((name) => def.shape[name]?._zod.def.type !== 'optional') },
      );
    case 'pipe':
      return arbitraryValue(def.out, known);
    case 'optional':
    case 'nullable':
      return fc.option(arbitraryValue(def.innerType, known), { freq: 3 });
    case 'union':
      return fc.oneof(...def.options.map((option) => arbitraryValue(option, known)));
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'boolean':
      return fc.boolean();
    case 'number':
      return fc.oneof(fc.integer({ min: -1, max: 101_000 }), fc.double(), fc.constantFrom(5, 100, 1000, 1001, 2 ** 53));
    default:
      return fc.jsonValue();
  }
}

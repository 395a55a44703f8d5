import { Agent, request } from 'node:http';
import { readChildArgument, serveParent } from './inside-child.ts';

/**
 * A user who makes the same light calls all the time, one every `intervalMs` whether or not the
 * last one is done. Its own process, so that the measuring does not wait for what is measured.
 * Returns each path's latencies since the last request.
 */
const { origin, headers, calls, intervalMs } = readChildArgument<{
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly calls: readonly LightCall[];
  readonly intervalMs: number;
}>();

export interface LightCall {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

/** Milliseconds of each call, and how many failed. */
export interface LightFigures {
  readonly latenciesMs: number[];
  failed: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 });
let figures = createFigures();
let open = 0;

function createFigures(): Map<string, LightFigures> {
  return new Map(calls.map(({ name }) => [name, { latenciesMs: [], failed: 0 }]));
}

function send({ name, method, path, body }: LightCall): void {
  const own = figures.get(name);
  if (!own || open > 150) return;
  open += 1;
  const from = performance.now();
  const done = (isGood: boolean) => {
    open -= 1;
    own.latenciesMs.push(performance.now() - from);
    if (!isGood) own.failed += 1;
  };
  const sent = request(origin + path, {
    method,
    agent,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
  });
  sent.on('response', (response) => {
    response.resume();
    response.once('end', () => done(response.statusCode === 200));
  });
  sent.once('error', () => done(false));
  sent.end(body === undefined ? undefined : JSON.stringify(body));
}

setInterval(() => {
  for (const call of calls) send(call);
}, intervalMs);

serveParent('ready', () => {
  const result = Object.fromEntries(figures);
  figures = createFigures();
  return result;
});

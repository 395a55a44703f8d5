/** The backend's HTTP server with its own body parsing, errors, and faults. */
import type { FastifyInstance } from 'fastify';
import * as kit from '../kit/faults.ts';
import { createHttpServer, type HttpServer } from '../kit/http-server.ts';
import { apiErrors } from './api-errors.ts';
import { ApiProblem, invalidRequest } from './api-problem.ts';
import { readForm } from './form.ts';

/**
 * - `unauthorized`, `too-many-requests`: 401 and 429 in the backend's format
 * - `half-batch`: runs the first half of a batch, then fails with an internal error
 * - `repeat-page`: the op-log repeats its previous response
 * - `overlap-page`: the op-log's page starts up to ten entries too early
 * - `reorder-page`: the entries of the op-log's page are out of order
 * - `empty-list`: lists, queries and `users` return no object, while single objects are still there
 * - `cut-list`: `users` returns its first user only, as if there were no more
 * - `repeat-list`: `users` returns its first page for every page
 * - `no-total`: `users` reports no total
 * - `no-sessions`: `users` reports users without their sessions
 */
const modes = [
  ...kit.faultModes,
  'unauthorized',
  'too-many-requests',
  'half-batch',
  'repeat-page',
  'overlap-page',
  'reorder-page',
  'empty-list',
  'cut-list',
  'repeat-list',
  'no-total',
  'no-sessions',
  'unknown-user',
] as const;

type FaultMode = (typeof modes)[number];
export type Fault = kit.Fault<FaultMode>;
export type Faults = kit.Faults<FaultMode>;
export type JourneyServer = HttpServer<FaultMode>;

/** Fits a photo of 25 MB in base64, in a batch. */
const maxBodyBytes = 64 * 1024 * 1024;

export function createJourneyServer(): JourneyServer {
  const http = createHttpServer({ modes, errors: apiErrors, maxBodyBytes });
  readBodies(http.server);
  http.server.addHook('onRequest', async (request) => {
    const mode = http.getFault(request)?.mode;
    if (mode === 'unauthorized') throw new ApiProblem('AUTHENTICATION_FAILED', 'Injected fault.');
    if (mode === 'too-many-requests')
      throw new ApiProblem('TOO_MANY_REQUESTS', 'Injected fault.', { retryAfterSeconds: 1 });
  });
  return http;
}

function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, text: string) => {
    if (text === '') return undefined;
    try {
      const body: unknown = JSON.parse(text);
      return body;
    } catch {
      throw invalidRequest('The body is not valid JSON.');
    }
  });
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, text: string) => readForm(new URLSearchParams(text)),
  );
  server.addContentTypeParser(
    ['application/xml', 'text/xml'],
    { parseAs: 'string' },
    async (_request: unknown, text: string) => text,
  );
}

import { parseBoundedJson } from '@portal/kit/bounded-json';
import type { FastifyInstance } from 'fastify';

/** Accepts only JSON. The server, which alone has a token, sends an empty body for none. */
export function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, body: string) =>
    body === '' ? undefined : parseBoundedJson(body),
  );
}

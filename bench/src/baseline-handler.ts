import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import { readChildArgument, serveParent } from './inside-child.ts';

/**
 * The peer of the benchmarks `api` and `page`: the same framework without plugins, returning bytes
 * from memory. Every body comes from a file with the portal's exact response.
 */
interface CannedResponse {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly type: string;
  readonly file: string;
  readonly encoding?: string;
}

const app = fastify();
for (const { method, path, type, file, encoding } of readChildArgument<CannedResponse[]>()) {
  const body = readFileSync(file);
  app.route({
    method,
    url: path,
    handler: (_request, reply) => {
      reply.header('content-type', type);
      if (encoding) reply.header('content-encoding', encoding);
      return reply.send(body);
    },
  });
}
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
serveParent({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` });

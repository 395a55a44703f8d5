/**
 * Serves attachments: the address in an object redirects to a signed address, which needs no
 * credentials.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import { type Api, getParameter } from './api.ts';
import { ApiProblem, objectNotFound } from './api-problem.ts';
import type { Deployment } from './deployment.ts';
import type { JourneyServer } from './journey-server.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain; charset=utf-8',
};

/** Our choice: every size is the original. */
const versions = new Set(['original', 'thumbnail', 'fullscreen', 'svg']);

export function registerAttachmentRoutes(
  api: Api,
  { server }: JourneyServer,
  deployments: readonly Deployment[],
): void {
  const secret = randomBytes(32);
  const signature = (deployment: string, id: string) =>
    createHmac('sha256', secret).update(`${deployment}/${id}`).digest('hex');

  api.on('GET', 'attachments/:attachment/:version', async ({ deployment, parameter, reply }) => {
    const id = parameter('attachment');
    const { rows } = await deployment.pool.query<{ file_name: string }>(
      'select file_name from attachment where deployment = $1 and id::text = $2',
      [deployment.key, id],
    );
    const [row] = rows;
    if (row === undefined || !versions.has(parameter('version'))) throw objectNotFound('attachment', id);
    const name = encodeURIComponent(row.file_name);
    return reply.redirect(`/downloads/${deployment.id}/${id}/${signature(deployment.id, id)}/${name}`, 302);
  });

  server.get('/downloads/:deployment/:attachment/:signature/:name', async (request, reply) => {
    const [id, attachment] = [getParameter(request, 'deployment'), getParameter(request, 'attachment')];
    const deployment = deployments.find((one) => one.id === id);
    if (deployment === undefined || getParameter(request, 'signature') !== signature(id, attachment))
      throw new ApiProblem('ROUTE_ERROR', 'This address is invalid or has expired.');
    const { rows } = await deployment.pool.query<{ file_name: string; content: Buffer }>(
      'select file_name, content from attachment where deployment = $1 and id = $2',
      [deployment.key, attachment],
    );
    const [row] = rows;
    if (row === undefined) throw objectNotFound('attachment', attachment);
    return reply.type(contentTypes[extname(row.file_name)] ?? 'application/octet-stream').send(row.content);
  });
}

/** What the HTTP servers of all simulators do with a call. */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Ends the connection instead of the answer, after half of it if there is one. */
export function abandon(request: FastifyRequest, reply: FastifyReply, payload: string | undefined): void {
  reply.hijack();
  const { socket } = request.raw;
  if (payload === undefined) {
    socket.destroy();
    return;
  }
  const bytes = Buffer.from(payload);
  reply.raw.writeHead(reply.statusCode, {
    'content-type': String(reply.getHeader('content-type') ?? 'text/plain'),
    'content-length': bytes.length,
  });
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => socket.destroy());
}

export function pathOf(request: { url?: string | undefined }): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

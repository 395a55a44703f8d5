import type { FastifyReply } from 'fastify';
import type { z } from 'zod';

/** How a platform words whatever is not a success. */
export interface ErrorStyle {
  /** The body of an internal error: text as it is, anything else as JSON. */
  readonly internalError: unknown;
  notFound(method: string, path: string): Error;
  /** The error of a call that this machine alone may make. */
  forbidden(words: string): Error;
  /** The error of a body that has another shape than it should. */
  invalid(error: z.ZodError): Error;
  /** Sends what a route threw. */
  send(reply: FastifyReply, error: unknown): FastifyReply;
}

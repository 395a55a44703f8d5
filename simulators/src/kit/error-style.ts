import type { FastifyReply } from 'fastify';
import type { z } from 'zod';

/** How a platform formats its error responses. */
export interface ErrorStyle {
  /** Returns the body of an internal error: a string as it is, anything else as JSON. */
  readonly internalError: unknown;
  notFound(method: string, path: string): Error;
  /** The error for a call that only this machine may make. */
  forbidden(message: string): Error;
  /** The error for a body of an invalid shape. */
  invalid(error: z.ZodError): Error;
  /** Sends an error thrown by a route. */
  send(reply: FastifyReply, error: unknown): FastifyReply;
}

import type { FastifyRequest } from 'fastify';
import { isStorable } from '../http/storable-text.ts';
import type { PlatformCredentials } from './caller.ts';

/** The platform credentials of an `Authorization: Basic` header, or undefined when there is none that can be read. */
export function basicCredentialsOf(request: FastifyRequest): PlatformCredentials | undefined {
  const [scheme, encoded] = request.headers.authorization?.split(' ') ?? [];
  if (scheme?.toLowerCase() !== 'basic' || encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 1 || !isStorable(text)
    ? undefined
    : { userName: text.slice(0, colon), password: text.slice(colon + 1) };
}

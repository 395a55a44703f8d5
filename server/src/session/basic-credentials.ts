import { isStorable } from '@portal/kit/postgres/storable-text';
import type { FastifyRequest } from 'fastify';
import type { PlatformCredentials } from './caller.ts';

/** Longer credentials are ignored. */
const maxLength = 1_000;

/**
 * Reads the platform credentials of an `Authorization: Basic` header; undefined if there are none
 * or they are invalid.
 */
export function readBasicCredentials(request: FastifyRequest): PlatformCredentials | undefined {
  const [scheme, encoded] = request.headers.authorization?.split(' ') ?? [];
  if (scheme?.toLowerCase() !== 'basic' || encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || text.length > maxLength || !isStorable(text)) return undefined;
  return { userName: text.slice(0, colon), password: text.slice(colon + 1) };
}

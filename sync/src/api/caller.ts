import { timingSafeEqual } from 'node:crypto';
import { isStorable } from '@portal/kit/postgres/storable-text';
import { Invalid, NotSignedIn } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import type { FastifyRequest } from 'fastify';

/**
 * The user and environment the server calls for. The server has already authenticated and
 * authorized the user.
 */
export interface Caller {
  readonly user: string;
  readonly environment: string;
}

/** Throws NotSignedIn unless the request carries one of the tokens. */
export function requireToken({ headers }: FastifyRequest, tokens: readonly Secret[]): void {
  const sent = Buffer.from(headers.authorization ?? '');
  const matches = (token: Secret) => {
    const expected = Buffer.from(`Bearer ${token.reveal()}`);
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  };
  if (!tokens.some(matches))
    throw new NotSignedIn('This service accepts calls from the portal only, and the request has no valid token.');
}

/**
 * Reads both names from the headers. They are percent-encoded, because headers allow few
 * characters.
 */
export function readCaller({ headers }: FastifyRequest): Caller {
  return {
    user: decode(headers['x-portal-user'], 'x-portal-user'),
    environment: decode(headers['x-portal-environment'], 'x-portal-environment'),
  };
}

function decode(value: string | string[] | undefined, header: string): string {
  try {
    const decoded = typeof value === 'string' ? decodeURIComponent(value) : '';
    if (decoded !== '' && isStorable(decoded)) return decoded;
  } catch {
    // Reported below.
  }
  throw new Invalid(`The header ${header} is missing or not percent-encoded.`);
}

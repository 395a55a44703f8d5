import { getSyncBase, getSyncSocketPaths, syncBases } from '@portal/contract/sync/base';
import { Invalid } from '@portal/kit/problems';
import type { FastifyRequest } from 'fastify';
import type { Environments, ServedEnvironment } from '../platform/environments.ts';

export interface EnvironmentClaim {
  readonly baseUrl?: string;
  readonly name?: string;
}

/**
 * The names that every call which needs a session accepts in its query and its body. HTTP Basic
 * names the environment with them; the session's must be the same.
 */
export const environmentClaimFields = ['environment', 'baseUrl'] as const;

/** Returns the environment that the address names: in its query, or by the base of its path. */
export function findAddressClaim(environments: Environments, request: FastifyRequest): EnvironmentClaim | undefined {
  const inQuery = readEnvironmentClaim(request.query);
  if (inQuery) return inQuery;
  const [only, ...others] = listAtBase(environments, request);
  return only && others.length === 0 ? { name: only.name } : undefined;
}

/** Returns the environments whose sync service is at the base of the address. */
export function listAtBase(environments: Environments, { url }: FastifyRequest): readonly ServedEnvironment[] {
  const [path = ''] = url.split('?');
  const base = syncBases.find(
    (each) => path.startsWith(each) || getSyncSocketPaths(each).some((socket) => socket === path),
  );
  return environments.all.filter(({ name }) => getSyncBase(name) === base);
}

/** Returns the environment that an unvalidated payload names, if any. */
export function readEnvironmentClaim(payload: unknown): EnvironmentClaim | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const baseUrl = 'baseUrl' in payload ? payload.baseUrl : undefined;
  const name = 'environment' in payload ? payload.environment : undefined;
  if (baseUrl === undefined && name === undefined) return undefined;
  if (baseUrl !== undefined && typeof baseUrl !== 'string') throw new Invalid('baseUrl must be text.');
  if (name !== undefined && typeof name !== 'string') throw new Invalid('environment must be text.');
  return { ...(baseUrl !== undefined && { baseUrl }), ...(name !== undefined && { name }) };
}

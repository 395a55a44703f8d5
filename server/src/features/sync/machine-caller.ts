import { timingSafeEqual } from 'node:crypto';
import type { SyncBase } from '@portal/contract/sync/base';
import { readPayload } from '@portal/edge/read-payload';
import { Refused } from '@portal/kit/problems';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { isAtBase } from '../../access/require-base.ts';
import type { Environments } from '../../platform/environments.ts';
import { readBasicCredentials } from '../../session/basic-credentials.ts';
import type { MachineCaller } from '../../session/caller.ts';
import { getOrigin } from '../../session/callers.ts';
import type { SyncServiceAccount } from './sync.config.ts';

const environmentClaimSchema = z.looseObject({ environment: z.optional(z.string()), baseUrl: z.optional(z.string()) });

/**
 * Finds the service account whose token was sent; undefined if there is none. Throws Invalid if the
 * environment is ambiguous, and Refused if the account may not access it.
 */
export function findMachine(
  accounts: readonly SyncServiceAccount[],
  environments: Environments,
  base: SyncBase,
  request: FastifyRequest,
): MachineCaller | undefined {
  const sent = readBasicCredentials(request);
  const account = accounts.find(
    ({ name, token }) => name === sent?.userName && areEqual(token.reveal(), sent.password),
  );
  if (!account) return undefined;
  const { environment: claimed, baseUrl } = readPayload(environmentClaimSchema, request.query);
  const atBase = environments.all.filter(({ name }) => isAtBase(name, base));
  const only = atBase.length === 1 ? atBase[0]?.name : undefined;
  const environment = environments.require({ baseUrl, name: claimed ?? (baseUrl === undefined ? only : undefined) });
  if (account.environments && !account.environments.includes(environment.name))
    throw new Refused(`The service account ${account.name} has no access to ${environment.name}.`);
  return { username: `service account ${account.name}`, environment, origin: getOrigin(request) };
}

function areEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

import { timingSafeEqual } from 'node:crypto';
import type { SyncBase } from '@portal/contract/sync-base';
import { Refused } from '@portal/kit/problems';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { readPayload } from '../../http/read-payload.ts';
import type { Environments, ServedEnvironment } from '../../platform/environments.ts';
import { basicCredentialsOf } from '../../session/basic-credentials.ts';
import type { CallOrigin } from '../../session/caller.ts';
import { originOf } from '../../session/callers.ts';
import { isAtBase } from './require-base.ts';
import type { SyncServiceAccount } from './sync.config.ts';

/** A configured account of no person: it has no apps and no credentials of the platform. */
export interface MachineCaller {
  readonly username: string;
  readonly environment: ServedEnvironment;
  readonly origin: CallOrigin;
}

const placeSchema = z.object({ environment: z.optional(z.string()), baseUrl: z.optional(z.string()) });

/**
 * The machine that calls with the token of a service account; undefined when it is no such. Throws
 * Invalid when it does not say which environment of the base is meant, Refused when the account
 * does not hold there.
 */
export function findMachine(
  accounts: readonly SyncServiceAccount[],
  environments: Environments,
  base: SyncBase,
  request: FastifyRequest,
): MachineCaller | undefined {
  const sent = basicCredentialsOf(request);
  const account = accounts.find(({ name, token }) => name === sent?.userName && areSame(token.reveal(), sent.password));
  if (!account) return undefined;
  const { environment: said, baseUrl } = readPayload(placeSchema, request.query);
  const here = environments.all.filter(({ name }) => isAtBase(name, base));
  const only = here.length === 1 ? here[0]?.name : undefined;
  const environment = environments.require({ baseUrl, name: said ?? (baseUrl === undefined ? only : undefined) });
  if (account.environments && !account.environments.includes(environment.name))
    throw new Refused(`The service account ${account.name} does not hold in ${environment.name}.`);
  return { username: `service account ${account.name}`, environment, origin: originOf(request) };
}

function areSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

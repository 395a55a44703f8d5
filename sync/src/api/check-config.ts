/**
 * Everything that is wrong with a configuration that somebody wants to save, by field and at once.
 */

import { checkEnrollmentNames } from '@portal/contract/check-enrollment-names';
import { type ConfigProblem, maskedPassword, type SyncConfig, syncConfigSchema } from '@portal/contract/sync-config';
import {
  findJourneyAddressError,
  findNameErrors,
  findPasswordError,
  findUserNameError,
} from '@portal/contract/sync-config-rules';
import { Secret } from '@portal/kit/secret';
import { isConfiguredJourney } from '@portal/platforms/journey/base-url';
import type { StoredIntegration } from '../integration/integration.ts';
import type { EnvironmentConfig } from '../setup/config.ts';
import type { AppFacts } from './template.ts';

export interface ConfigFacts {
  /** As it was sent. */
  readonly config: unknown;
  readonly app: AppFacts;
  /** Whose database holds the app's schema; null: no configured one does. */
  readonly dataSource: string | null;
  readonly environment: EnvironmentConfig;
  /** What is stored for the app; undefined when this is a new one. */
  readonly stored: StoredIntegration | undefined;
}

export type CheckedConfig =
  | { readonly problems: readonly [ConfigProblem, ...ConfigProblem[]] }
  | {
      readonly config: SyncConfig;
      readonly dataSource: string;
      /** null: the stored one stays. */
      readonly password: Secret | null;
      readonly problems: readonly [];
    };

export function checkConfig(facts: ConfigFacts): CheckedConfig {
  const problems: ConfigProblem[] = [];
  const refuse = (field: string, reason: string) => problems.push({ field, reason });
  const parsed = syncConfigSchema.safeParse(facts.config ?? {});
  for (const { path, message } of parsed.error?.issues ?? []) refuse(path.join('.') || 'config', message);

  // A text that the schema has refused is not judged a second time; the others are, though the
  // whole is not there.
  const isRefused = (field: string) => problems.some((problem) => problem.field === field);
  const judge = (field: string, rule: (text: string) => string | null) => {
    const text = at(facts.config, field.split('.'));
    if (typeof text !== 'string' || isRefused(field)) return;
    const reason = rule(text);
    if (reason !== null) refuse(field, reason);
  };
  checkHelium(facts, judge, refuse);
  checkJourney(facts, judge, refuse);
  checkVersions(facts, judge);
  checkSkipped(facts.config, 'heliumToJourney.changeLogSkipTables', isRefused, refuse);
  checkSkipped(facts.config, 'journeyToHelium.oplogSkipObjectTypes', isRefused, refuse);
  if (parsed.success) problems.push(...checkEnrollmentNames(parsed.data.journeyToHeliumEnrollment));

  const [first, ...others] = problems;
  if (first) return { problems: [first, ...others] };
  // Both were refused above when they are missing; the compiler wants to hear it again.
  if (!parsed.success || facts.dataSource === null) return { problems: [{ field: 'config', reason: 'is not one' }] };
  const sent = sentPassword(facts.config);
  return {
    config: parsed.data,
    dataSource: facts.dataSource,
    password: sent === null ? null : new Secret(sent),
    problems: [],
  };
}

type Judge = (field: string, rule: (text: string) => string | null) => void;
type Refuse = (field: string, reason: string) => void;

function checkHelium({ app, dataSource, environment }: ConfigFacts, judge: Judge, refuse: Refuse): void {
  judge('helium.appId', (id) => (id === app.id ? null : `is another app than ${app.id}`));
  judge('helium.dbSchema', (schema) =>
    schema === app.schemaName ? null : `is not the schema of ${app.name}, which is ${app.schemaName}`,
  );
  judge('helium.baseUrl', (url) =>
    withoutSlash(url) === withoutSlash(environment.baseUrl)
      ? null
      : `is not the address of ${environment.name}, which is ${environment.baseUrl}`,
  );
  if (dataSource === null) refuse('helium.dbSchema', `none of the data sources of ${environment.name} holds it`);
  else if (!environment.dataSources.some(({ heliumDataSourceName: name }) => name === dataSource))
    refuse('helium.dbSchema', `its data source ${dataSource} is not configured for ${environment.name}`);
}

function checkJourney({ config, environment, stored }: ConfigFacts, judge: Judge, refuse: Refuse): void {
  judge('journey.restAPICredentials.userName', findUserNameError);
  judge('journey.baseUrl', (url) => {
    const fault = findJourneyAddressError(url);
    if (fault !== null || isConfiguredJourney(url, environment)) return fault;
    return `is none of the Journey deployments configured for ${environment.name}`;
  });
  const address = at(config, ['journey', 'baseUrl']);
  const fault = findPasswordError({
    sent: sentPassword(config),
    address: typeof address === 'string' ? address : '',
    storedAddress: stored?.config.journey.baseUrl ?? null,
  });
  if (fault !== null) refuse('journey.restAPICredentials.password', fault);
}

/** Null for what keeps the stored one. */
function sentPassword(config: unknown): string | null {
  const password = at(config, ['journey', 'restAPICredentials', 'password']);
  return typeof password === 'string' && password !== '' && password !== maskedPassword ? password : null;
}

function checkVersions({ stored }: ConfigFacts, judge: Judge): void {
  const versions = {
    'heliumToJourney.changeLogMinVersionAsString': stored?.config.heliumToJourney.changeLogMinVersionAsString,
    'journeyToHelium.oplogMinVersionAsString': stored?.config.journeyToHelium.oplogMinVersionAsString,
  };
  for (const [field, before] of Object.entries(versions)) {
    judge(field, (version) => {
      if (before === undefined || BigInt(before) === BigInt(version)) return null;
      return `cannot be changed any more: it is ${before} since the integration exists`;
    });
  }
}

/** Entries that are no text have been refused already. */
function checkSkipped(config: unknown, field: string, isRefused: (field: string) => boolean, refuse: Refuse): void {
  const names = at(config, field.split('.'));
  if (!Array.isArray(names)) return;
  const texts = names.map((name: unknown) => (typeof name === 'string' ? name : ''));
  for (const { at: index, reason } of findNameErrors(texts))
    if (!isRefused(`${field}.${index}`)) refuse(`${field}.${index}`, reason);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step) ? Reflect.get(inner, step) : undefined,
    value,
  );
}

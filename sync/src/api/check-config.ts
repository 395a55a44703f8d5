/** Everything that is wrong with a configuration that somebody wants to save, by field and at once. */

import { checkEnrollmentNames } from '@portal/contract/check-enrollment-names';
import { type ConfigProblem, maskedPassword, type SyncConfig, syncConfigSchema } from '@portal/contract/sync-config';
import { Problem } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import { normaliseJourneyBaseUrl } from '@portal/platforms/journey/base-url';
import type { EnvironmentConfig } from '../config.ts';
import type { StoredIntegration } from '../store/integrations.store.ts';
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

  // A text that the schema has refused is not judged a second time; the others are, though the whole is not there.
  const isRefused = (field: string) => problems.some((problem) => problem.field === field);
  const judge = (field: string, rule: (text: string) => string | undefined) => {
    const text = at(facts.config, field.split('.'));
    if (typeof text !== 'string' || isRefused(field)) return;
    const reason = rule(text);
    if (reason !== undefined) refuse(field, reason);
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

type Judge = (field: string, rule: (text: string) => string | undefined) => void;
type Refuse = (field: string, reason: string) => void;

function checkHelium({ app, dataSource, environment }: ConfigFacts, judge: Judge, refuse: Refuse): void {
  judge('helium.appId', (id) => (id === app.id ? undefined : `is another app than ${app.id}`));
  judge('helium.dbSchema', (schema) =>
    schema === app.schemaName ? undefined : `is not the schema of ${app.name}, which is ${app.schemaName}`,
  );
  judge('helium.baseUrl', (url) =>
    withoutSlash(url) === withoutSlash(environment.baseUrl)
      ? undefined
      : `is not the address of ${environment.name}, which is ${environment.baseUrl}`,
  );
  if (dataSource === null) refuse('helium.dbSchema', `none of the data sources of ${environment.name} holds it`);
  else if (!environment.dataSources.some(({ heliumDataSourceName: name }) => name === dataSource))
    refuse('helium.dbSchema', `its data source ${dataSource} is not configured for ${environment.name}`);
}

function checkJourney({ config, environment, stored }: ConfigFacts, judge: Judge, refuse: Refuse): void {
  const userName = at(config, ['journey', 'restAPICredentials', 'userName']);
  judge('journey.restAPICredentials.userName', (name) => (name.trim() === '' ? 'is missing' : undefined));
  let isMoved = false;
  judge('journey.baseUrl', (url) => {
    if (url.trim() === '') return 'is missing';
    try {
      normaliseJourneyBaseUrl(url, typeof userName === 'string' && userName !== '' ? userName : 'user');
    } catch (error) {
      if (error instanceof Problem) return error.message;
      throw error;
    }
    if (!environment.journeyBaseUrls.some((allowed) => isWithin(url, allowed)))
      return `is none of the Journey deployments configured for ${environment.name}`;
    isMoved = stored !== undefined && new URL(url).origin !== new URL(stored.config.journey.baseUrl).origin;
    return undefined;
  });
  const field = 'journey.restAPICredentials.password';
  if (sentPassword(config) !== null) return;
  if (!stored) refuse(field, 'is missing');
  // Else whoever may change the address could have the password sent to a host of their own.
  else if (isMoved) refuse(field, 'is needed again, because the address is on another host');
}

/** Null for what keeps the stored one. */
function sentPassword(config: unknown): string | null {
  const password = at(config, ['journey', 'restAPICredentials', 'password']);
  return typeof password === 'string' && password !== '' && password !== maskedPassword ? password : null;
}

const mostVersion = 2n ** 63n - 1n;

function checkVersions({ stored }: ConfigFacts, judge: Judge): void {
  const versions = {
    'heliumToJourney.changeLogMinVersionAsString': stored?.config.heliumToJourney.changeLogMinVersionAsString,
    'journeyToHelium.oplogMinVersionAsString': stored?.config.journeyToHelium.oplogMinVersionAsString,
  };
  for (const [field, before] of Object.entries(versions)) {
    judge(field, (version) => {
      if (BigInt(version) > mostVersion) return `is more than ${mostVersion}`;
      if (before === undefined || BigInt(before) === BigInt(version)) return undefined;
      return `cannot be changed any more: it is ${before} since the integration exists`;
    });
  }
}

function checkSkipped(config: unknown, field: string, isRefused: (field: string) => boolean, refuse: Refuse): void {
  const names = at(config, field.split('.'));
  if (!Array.isArray(names) || isRefused(field)) return;
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    const entry = `${field}.${index}`;
    if (typeof name !== 'string' || isRefused(entry)) continue;
    if (name === '') refuse(entry, 'is empty: there is a comma too many');
    else if (!/^[A-Za-z_][A-Za-z0-9_$]*$/.test(name)) refuse(entry, `"${name}" is not a name`);
    else if (seen.has(name.toLowerCase())) refuse(entry, `"${name}" is there twice`);
    seen.add(name.toLowerCase());
  }
}

/** Whether an address is below another: the same host, and whole steps of the path. */
function isWithin(address: string, allowed: string): boolean {
  if (!URL.canParse(address) || !URL.canParse(allowed)) return false;
  const [url, base] = [new URL(address), new URL(allowed)];
  if (url.search !== '' || url.hash !== '') return false;
  return url.origin === base.origin && `${withoutSlash(url.pathname)}/`.startsWith(`${withoutSlash(base.pathname)}/`);
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

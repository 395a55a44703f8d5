/** Checks a configuration before it is saved and reports all problems at once, by field. */

import { checkEnrollmentNames } from '@portal/contract/sync/check-enrollment-names';
import { type ConfigProblem, maskedPassword, type SyncConfig, syncConfigSchema } from '@portal/contract/sync/config';
import {
  findJourneyAddressError,
  findNameErrors,
  findPasswordError,
  findUserNameError,
} from '@portal/contract/sync/config-rules';
import { findUnknownFields } from '@portal/edge/unknown-fields';
import { Secret } from '@portal/kit/secret';
import { isConfiguredJourney } from '@portal/platforms/journey/base-url';
import type { StoredIntegration } from '../integration/integration.ts';
import type { EnvironmentConfig } from '../setup/config.ts';
import type { AppFacts } from './template.ts';

export interface ConfigFacts {
  /** The configuration as sent by the client. */
  readonly config: unknown;
  readonly app: AppFacts;
  /** The data source whose database holds the app's schema; null when no configured one does. */
  readonly dataSource: string | null;
  readonly environment: EnvironmentConfig;
  /** The stored integration of the app; undefined for a new one. */
  readonly stored: StoredIntegration | undefined;
}

export type CheckedConfig =
  | { readonly problems: readonly [ConfigProblem, ...ConfigProblem[]] }
  | {
      readonly config: SyncConfig;
      readonly dataSource: string;
      /** null keeps the stored password. */
      readonly password: Secret | null;
      readonly problems: readonly [];
    };

export function checkConfig(facts: ConfigFacts): CheckedConfig {
  const problems: ConfigProblem[] = [];
  const refused = new Set<string>();
  const addProblem = (field: string, reason: string) => {
    problems.push({ field, reason });
    refused.add(field);
  };
  const parsed = syncConfigSchema.safeParse(facts.config ?? {});
  for (const { path, message } of parsed.error?.issues ?? []) addProblem(path.join('.') || 'config', message);
  for (const { field, reason } of findUnknownFields(syncConfigSchema, facts.config)) addProblem(field, reason);

  // A text that the schema rejected is not checked again. The others are checked, even though the
  // configuration as a whole is invalid.
  const check = (field: string, rule: (text: string) => string | null) => {
    const text = readPath(facts.config, field.split('.'));
    if (typeof text !== 'string' || refused.has(field)) return;
    const reason = rule(text);
    if (reason !== null) addProblem(field, reason);
  };
  checkHelium(facts, check, addProblem);
  checkJourney(facts, check, addProblem);
  checkVersions(facts, check);
  checkSkippedNames(facts.config, 'heliumToJourney.changeLogSkipTables', refused, addProblem);
  checkSkippedNames(facts.config, 'journeyToHelium.oplogSkipObjectTypes', refused, addProblem);
  if (parsed.success) problems.push(...checkEnrollmentNames(parsed.data.journeyToHeliumEnrollment));

  const [first, ...others] = problems;
  if (first) return { problems: [first, ...others] };
  // Missing values were reported above; the compiler cannot infer that.
  if (!parsed.success || facts.dataSource === null) return { problems: [{ field: 'config', reason: 'is not valid' }] };
  const sent = getSentPassword(facts.config);
  return {
    config: parsed.data,
    dataSource: facts.dataSource,
    password: sent === null ? null : new Secret(sent),
    problems: [],
  };
}

type CheckText = (field: string, rule: (text: string) => string | null) => void;
type AddProblem = (field: string, reason: string) => void;

function checkHelium({ app, dataSource, environment }: ConfigFacts, check: CheckText, addProblem: AddProblem): void {
  check('helium.appId', (id) => (id === app.id ? null : `is not the app ${app.id}`));
  check('helium.dbSchema', (schema) =>
    schema === app.schemaName ? null : `is not the schema of ${app.name}, which is ${app.schemaName}`,
  );
  check('helium.baseUrl', (url) =>
    withoutSlash(url) === withoutSlash(environment.baseUrl)
      ? null
      : `is not the address of ${environment.name}, which is ${environment.baseUrl}`,
  );
  if (dataSource === null) addProblem('helium.dbSchema', `no data source of ${environment.name} contains it`);
  else if (!environment.dataSources.some(({ heliumDataSourceName: name }) => name === dataSource))
    addProblem('helium.dbSchema', `its data source ${dataSource} is not configured for ${environment.name}`);
}

function checkJourney({ config, environment, stored }: ConfigFacts, check: CheckText, addProblem: AddProblem): void {
  check('journey.restAPICredentials.userName', findUserNameError);
  check('journey.baseUrl', (url) => {
    const error = findJourneyAddressError(url);
    if (error !== null || isConfiguredJourney(url, environment)) return error;
    return `is not a Journey deployment configured for ${environment.name}`;
  });
  const address = readPath(config, ['journey', 'baseUrl']);
  const error = findPasswordError({
    sent: getSentPassword(config),
    address: typeof address === 'string' ? address : '',
    storedAddress: stored?.config.journey.baseUrl ?? null,
  });
  if (error !== null) addProblem('journey.restAPICredentials.password', error);
}

/** Returns the password that was sent, or null when the stored one is kept. */
function getSentPassword(config: unknown): string | null {
  const password = readPath(config, ['journey', 'restAPICredentials', 'password']);
  return typeof password === 'string' && password !== '' && password !== maskedPassword ? password : null;
}

function checkVersions({ stored }: ConfigFacts, check: CheckText): void {
  const versions = {
    'heliumToJourney.changeLogMinVersionAsString': stored?.config.heliumToJourney.changeLogMinVersionAsString,
    'journeyToHelium.oplogMinVersionAsString': stored?.config.journeyToHelium.oplogMinVersionAsString,
  };
  for (const [field, current] of Object.entries(versions)) {
    check(field, (version) => {
      if (current === undefined || BigInt(current) === BigInt(version)) return null;
      return `cannot be changed after the integration is created: it is ${current}`;
    });
  }
}

/** Checks the skipped names. Entries that are not texts, and long lists, were reported already. */
function checkSkippedNames(config: unknown, field: string, refused: ReadonlySet<string>, addProblem: AddProblem): void {
  const names = readPath(config, field.split('.'));
  if (!Array.isArray(names) || refused.has(field)) return;
  const texts = names.map((name: unknown) => (typeof name === 'string' ? name : ''));
  for (const { at: index, reason } of findNameErrors(texts))
    if (!refused.has(`${field}.${index}`)) addProblem(`${field}.${index}`, reason);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function readPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step) ? Reflect.get(inner, step) : undefined,
    value,
  );
}

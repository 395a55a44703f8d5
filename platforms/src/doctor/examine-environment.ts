/**
 * Examines how the platform and the data sources of an environment answer, and suggests the
 * settings with which the portal understands them.
 */
import type { HeliumDialect } from '../helium/dialect/dialect.config.ts';
import type { Platform } from './ask.ts';
import { type DataSource, examineDataSource, examineSchemas } from './examine-data-source.ts';
import { examineHelium } from './examine-helium.ts';
import { examineLogSocket } from './examine-log-socket.ts';
import { examineProxies, type OutgoingTarget } from './examine-proxies.ts';
import { examineWriteStyle } from './examine-write-style.ts';
import type { Section } from './report.ts';
import { toggleAndBack } from './toggle-and-back.ts';
import { writeSuggestion } from './write-suggestion.ts';

export interface ExaminedEnvironment {
  readonly name: string;
  readonly platform: Platform;
  readonly dialect: HeliumDialect;
  readonly dataSources: readonly DataSource[];
  /** Systems that the portal calls, also those beside the platform. Default: none. */
  readonly outgoing?: readonly OutgoingTarget[];
  /** The hosts that files of Journey are downloaded from. Default: none. */
  readonly fileHosts?: readonly string[];
  /** How long the log socket stays open. Default: 5 s. */
  readonly logMs?: number;
  /** The app, by name or id, and the scheduled function to toggle. */
  readonly toggle?: { readonly app: string; readonly name: string } | undefined;
}

export interface EnvironmentReport {
  readonly sections: readonly Section[];
  /** Lines for the configuration file; none if nothing differs. */
  readonly suggestion: readonly string[];
  readonly suggestedDialect: HeliumDialect;
  readonly isGood: boolean;
}

/** Changes nothing, unless `toggle` is given. */
export async function examineEnvironment(environment: ExaminedEnvironment): Promise<EnvironmentReport> {
  const { name, platform, dialect, dataSources, outgoing = [], fileHosts = [], logMs = 5_000 } = environment;
  const proxies = await examineProxies(outgoing, { fileHosts, timeoutMs: platform.timeoutMs });
  const { sections: calls, suggested, apps } = await examineHelium(platform, dialect);
  const [firstApp] = apps;
  const examined = await Promise.all(dataSources.map((dataSource) => examineDataSource(dataSource, apps)));
  const schemaNames = new Set(examined.flatMap((each) => each.schemaNames));
  const sections = [
    ...calls,
    examineWriteStyle(name, dialect, suggested),
    ...(firstApp ? [await examineLogSocket(platform, firstApp, logMs)] : []),
    ...examined.map(({ section }) => section),
    ...(dataSources.length > 0 ? [examineSchemas(apps, schemaNames)] : []),
    proxies,
    ...(await toggle(environment, suggested, apps)),
  ];
  const suggestion = writeSuggestion(name, dialect, suggested);
  const isGood = suggestion.length === 0 && sections.every((section) => section.isGood);
  return { sections, suggestion, suggestedDialect: suggested, isGood };
}

async function toggle(
  { platform, toggle: request }: ExaminedEnvironment,
  dialect: HeliumDialect,
  apps: Parameters<typeof examineSchemas>[0],
): Promise<Section[]> {
  if (request === undefined) return [];
  const app = apps.find(({ id, name }) => id === request.app || name === request.app);
  if (app) return [await toggleAndBack(platform, dialect, { app, name: request.name })];
  return [{ title: `Toggle of ${request.name}`, lines: [`There is no app ${request.app}.`], isGood: false }];
}

import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { light } from './rules.ts';

/**
 * A PostgreSQL database that holds app schemas. Its address and password never leave the server.
 */
const dataSourceSchema = z.object({
  heliumDataSourceName: z.string(),
  hostname: z.string(),
  dbName: z.string(),
});
export type DataSource = z.infer<typeof dataSourceSchema>;

/** One installation of the Helium platform. */
export const environmentSchema = z.object({
  name: z.string(),
  baseUrl: z.string(),
  dataSources: z.array(dataSourceSchema),
  /** A Mantine color name. Every screen shows the environment's name in this color. */
  color: z.string(),
  /** IANA time zone of its schedules. */
  timeZone: z.string(),
});
export type Environment = z.infer<typeof environmentSchema>;

export const getEnvironments = endpoint({
  method: 'GET',
  path: '/portal-backend/api/environments',
  summary: 'List the environments that accept sign-ins',
  may: 'open',
  about: {},
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(environmentSchema),
});

const productionName = 'Production';
const localhostName = 'Localhost';

/** Returns the environments of the sign-in chooser: all except localhost. */
export function selectableEnvironments<E extends { name: string }>(environments: readonly E[]): E[] {
  return environments.filter((environment) => environment.name.toLowerCase() !== localhostName.toLowerCase());
}

export function isProduction(environmentName: string): boolean {
  return environmentName === productionName;
}

/** Returns whether the deployment pages are reachable. Only Production shows the menu entry. */
export function canReachDeployments(environmentName: string): boolean {
  return environmentName === productionName || environmentName === localhostName;
}

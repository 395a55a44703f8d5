import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

/**
 * A PostgreSQL database that holds app schemas. Where it is reached and with which password never
 * leaves the server.
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
  /** A Mantine colour name; the environment is told by it on every screen, beside its name. */
  color: z.string(),
  /** IANA zone in which its schedules are judged. */
  timeZone: z.string(),
});
export type Environment = z.infer<typeof environmentSchema>;

export const getEnvironments = endpoint({
  method: 'GET',
  path: '/portal-backend/api/environments',
  summary: 'The environments one can sign in to',
  access: 'open',
  request: null,
  response: z.array(environmentSchema),
});

const productionName = 'Production';
const localhostName = 'Localhost';

/** The sign-in chooser leaves the localhost environment out. */
export function selectableEnvironments<E extends { name: string }>(environments: readonly E[]): E[] {
  return environments.filter((environment) => environment.name.toLowerCase() !== localhostName.toLowerCase());
}

export function isProduction(environmentName: string): boolean {
  return environmentName === productionName;
}

/** Deployments are reachable in these two only; the menu entry shows in Production alone. */
export function canReachDeployments(environmentName: string): boolean {
  return environmentName === productionName || environmentName === localhostName;
}

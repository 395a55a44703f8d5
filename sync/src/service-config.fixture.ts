import { configSchema } from './setup/config.ts';
import type { RetryLimits } from './supervisor/classify-failure.ts';

export const testKey = 'ab'.repeat(32);
export const metricsToken = 'let-me-read-metrics';

/** Retries quickly, so that a test need not wait. */
export const quickRetryLimits: RetryLimits = {
  maxFailures: 3,
  stableAfterMs: 60_000,
  outageBackoff: { initialMs: 20, maxMs: 50 },
  failureBackoff: { initialMs: 20, maxMs: 50 },
};

/** @param databaseDirectUrl is that of the listening connection */
export function testConfig(databaseUrl: string, databaseDirectUrl = databaseUrl) {
  const environment = (name: string) => ({
    name,
    baseUrl: `https://helium-${name.toLowerCase()}.example.com`,
    dataSources: [{ heliumDataSourceName: 'apps-1', hostname: 'pg-1', dbName: 'apps', url: databaseUrl }],
    journeyBaseUrls: ['https://run-testing-us.example.com/api/v4/', 'https://run-us.example.com/api/v4/'],
  });
  return configSchema.parse({
    environments: [environment('Production'), environment('Staging')],
    databaseUrl,
    databaseDirectUrl,
    encryptionKey: testKey,
    metricsToken,
  });
}

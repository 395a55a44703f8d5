/** The integration that tests run, in their own process or in another one. */
import type { SyncConfig } from '@portal/contract/sync/config';
import { createJourneyRateLimiter, type JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { type SteadyClock, steadyClock } from '@portal/platforms/journey/steady-clock';
import { type Figures, figuresSchema } from '../../integration/figures.ts';
import type { StoredIntegration } from '../../integration/integration.ts';
import { defaultTiming, type Timing } from '../run/pace/timing.ts';

export const noFigures: Figures = figuresSchema.parse({});

export const environment = 'Staging';
export const dataSource = 'helium-app-1';
/** The name from `helium-gateway.fixture.ts`, which only tests may import. */
const schema = 'shop__app_001';

/**
 * Transactions and calls of a process that is not frozen never last this long, however busy the
 * machine is.
 */
export const patientMs = 60_000;

/** Pages, polls and waits take a twentieth of the default time. */
const faster = 20;

export const quickTiming: Timing = {
  pollMs: defaultTiming.pollMs / faster,
  announced: defaultTiming.announced,
  comparePauseMs: defaultTiming.comparePauseMs / faster,
  compareSpreadMs: 0,
  // A call that is repeated by chance would be counted twice. Tests of time-outs set their own.
  callTimeoutMs: patientMs,
  slowCallMs: defaultTiming.slowCallMs,
  // Probes would use up the faults of the simulator.
  silence: { ...defaultTiming.silence, probeAfterMs: 3_600_000 },
  enrollmentRetryMs: defaultTiming.enrollmentRetryMs,
  retry: { initialMs: 20, maxMs: 200 },
  files: { ...defaultTiming.files, retry: { initialMs: 50, maxMs: 200 } },
};

/** The default is 40 seconds. */
export const quickUnloggedMs = 200;

/** For tests that often wait for several polls. */
export const quickPolls = { pollMs: 20 };

const quickClock: SteadyClock = {
  nowMs: () => performance.now() * faster,
  waitUntil: (atMs, signal) => steadyClock.waitUntil(atMs / faster, signal),
};

/** A rate limiter without waiting for calls, and with a short backoff for a failing host. */
export function quickRateLimiter(): JourneyRateLimiter {
  const rate = { perSecond: 1e9, burst: 1e9 };
  return createJourneyRateLimiter({
    rate,
    hostRate: rate,
    breakerBackoff: { initialMs: 20, maxMs: 200 },
    clock: quickClock,
  });
}

export interface TestDeployment {
  readonly id: string;
  readonly url: string;
  readonly userName: string;
}

export function createIntegration(deployment: TestDeployment, appId: string): StoredIntegration {
  return {
    id: '1',
    appId,
    environment,
    appName: 'Shop',
    dataSource,
    config: configFor(deployment, appId),
    configVersion: 1,
    status: 'Enabled',
    haltReason: null,
    haltedSince: null,
    changedAt: new Date(0).toISOString(),
    changedBy: 'test',
    figures: noFigures,
  };
}

function configFor(deployment: TestDeployment, appId: string): SyncConfig {
  return {
    enabled: true,
    enableJourneyToHelium: true,
    enableHeliumToJourney: true,
    helium: { appId, dbSchema: schema, baseUrl: 'http://helium.example' },
    journey: { appId: deployment.id, baseUrl: deployment.url, restAPICredentials: { userName: deployment.userName } },
    heliumToJourney: { changeLogMinVersionAsString: '0', changeLogSkipTables: [] },
    journeyToHelium: { oplogMinVersionAsString: '0', oplogSkipObjectTypes: [] },
    journeyToHeliumEnrollment: {
      type: 'user',
      enabled: false,
      heliumObjectName: 'farmer',
      journeyObjectName: 'user',
      updateIntervalMins: 15,
    },
  };
}

/** The integration that tests run, in their own process or in another. */
import type { SyncConfig } from '@portal/contract/sync-config';
import { createJourneyPace, type JourneyPace } from '@portal/platforms/journey/journey-pace';
import { type SteadyClock, steadyClock } from '@portal/platforms/journey/steady-clock';
import { type Figures, figuresSchema } from '../../integration/figures.ts';
import type { StoredIntegration } from '../../integration/integration.ts';
import { type Timing, usualTiming } from '../shared/timing.ts';

export const noFigures: Figures = figuresSchema.parse({});

export const environment = 'Staging';
export const dataSource = 'helium-app-1';
/** As `helium-gateway.fixture.ts` names it, which only tests may import. */
const schema = 'shop__app_001';

/** A page, a poll and a wait take a twentieth of the usual time. */
const faster = 20;

export const quickTiming: Timing = {
  pollMs: usualTiming.pollMs / faster,
  lookEveryMs: 200,
  callTimeoutMs: 5_000,
  retry: { initialMs: 20, maxMs: 200 },
};

const quickClock: SteadyClock = {
  nowMs: () => performance.now() * faster,
  waitUntil: (atMs, signal) => steadyClock.waitUntil(atMs / faster, signal),
};

/** At which no call waits long, and a host is spared for a moment. */
export function quickPace(): JourneyPace {
  return createJourneyPace({
    rate: { perSecond: 1e9, burst: 1e9 },
    sparing: { initialMs: 20, maxMs: 200 },
    clock: quickClock,
  });
}

export interface TestDeployment {
  readonly id: string;
  readonly url: string;
  readonly userName: string;
}

export function integrationOf(deployment: TestDeployment, appId: string): StoredIntegration {
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

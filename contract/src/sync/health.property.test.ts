import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listSyncCauses } from './causes.ts';
import { getSyncHealth, type SyncIntegration, syncHealthRule } from './integration.ts';

const nowMs = Date.UTC(2026, 0, 2);

const fresh: Omit<SyncIntegration, 'health'> = {
  id: '7a0c',
  appName: 'Grain',
  environment: 'Production',
  dataSource: 'main',
  status: 'Enabled',
  heliumBaseUrl: 'https://helium.example.com',
  journeyBaseUrl: 'https://journey.example.com',
  journeyEnvironment: 'Testing',
  heliumSyncStatus: 'Live',
  journeySyncStatus: 'Live',
  heliumLastUpdated: null,
  journeyLastUpdated: null,
  lastPinged: nowMs,
  journeyUserName: 'a',
  journeyPassword: 'b',
  heliumToJourneyLagMs: 0,
  journeyToHeliumLagMs: 0,
  haltReason: null,
  haltedSince: null,
  needsDecision: false,
  changeLogVersion: '0',
  oplogVersion: '0',
  waiting: 0,
  parked: 0,
  deadLetters: 0,
  skipped: 0,
  keptRows: 0,
  conflicts: 0,
  waitingFiles: 0,
  failedFiles: 0,
  rounded: 0,
  differences: 0,
  mappingWarnings: { count: 0, first: [] },
  pausedObjects: { count: 0, first: [] },
  waitingEnrollment: 0,
  changeLogBacklog: null,
  oplogBacklog: null,
  horizonHeldBy: null,
  changedAt: '2026-01-01T00:00:00.000Z',
  changedBy: 'thandi',
};

const directionStatus = fc.oneof(
  fc.constantFrom('Live', 'Catching up', 'Off', 'Halted', 'Disabled', 'Starting', 'Waiting for an answer since 7 s'),
  fc.string().map((reason) => `Waiting: ${reason}`),
  fc.string().map((reason) => `Interrupted: ${reason}`),
  fc.string(),
);
/** Mostly zero, so that each fact is often the only one that is not well. */
const count = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat() });
const lagMs = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat({ max: 2 * syncHealthRule.staleAfterMs }) },
);
const backlog = fc.option(fc.record({ entries: fc.integer({ min: 1 }), since: fc.option(fc.nat()) }), { freq: 1 });

/** Every fact that may affect the health. */
const anyFacts = fc
  .record({
    status: fc.constantFrom('Enabled', 'Disabled', 'Halted'),
    heliumSyncStatus: directionStatus,
    journeySyncStatus: directionStatus,
    lastPinged: fc.option(lagMs.map((silentMs) => nowMs - silentMs)),
    heliumToJourneyLagMs: lagMs,
    journeyToHeliumLagMs: lagMs,
    haltedSince: fc.option(fc.constant('2026-01-01T00:00:00.000Z')),
    waiting: count,
    parked: count,
    deadLetters: count,
    skipped: count,
    waitingFiles: count,
    failedFiles: count,
    pausedObjects: count.map((paused) => ({ count: paused, first: [] })),
    waitingEnrollment: count,
    changeLogBacklog: backlog,
    oplogBacklog: backlog,
    horizonHeldBy: fc.option(fc.string(), { freq: 1 }),
  })
  .map((facts) => ({ ...fresh, ...facts }));

const heldStates = ['waiting', 'parked', 'deadLetters', 'skipped', 'failedFiles', 'waitingEnrollment'] as const;
const directions = ['heliumSyncStatus', 'journeySyncStatus'] as const;

describe('health of an integration', () => {
  it('is never Fresh or Idle while it is halted or a direction is halted or waits', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const texts: readonly string[] = [facts.status, facts.heliumSyncStatus, facts.journeySyncStatus];
        fc.pre(texts.some((text) => /^(Waiting|Interrupted|Halted)/.test(text)));
        expect(['Late', 'Stale']).toContain(getSyncHealth(facts, nowMs));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is never Fresh or Idle while a record is held or a log holds changes', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(...heldStates, 'changeLogBacklog', 'oplogBacklog'), (facts, name) => {
        const isWaiting = name.endsWith('Backlog')
          ? facts.status !== 'Enabled' && facts[name as 'oplogBacklog'] !== null
          : facts[name as 'waiting'] > 0;
        fc.pre(isWaiting);
        expect(['Late', 'Stale']).toContain(getSyncHealth(facts, nowMs));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is never Fresh or Idle while an object is paused', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        fc.pre(facts.pausedObjects.count > 0);
        expect(['Late', 'Stale']).toContain(getSyncHealth(facts, nowMs));
      }),
    );
  });

  it('is Fresh only when everything works, and Idle only when it is disabled', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const health = getSyncHealth(facts, nowMs);
        if (health === 'Idle') expect(facts.status).toBe('Disabled');
        if (health !== 'Fresh') return;
        expect(facts.status).toBe('Enabled');
        expect(facts.horizonHeldBy).toBeNull();
        expect(nowMs - (facts.lastPinged ?? 0)).toBeLessThanOrEqual(syncHealthRule.lateAfterMs);
        for (const name of directions) expect(['Live', 'Catching up', 'Off']).toContain(facts[name]);
        for (const name of heldStates) expect(facts[name]).toBe(0);
      }),
    );
  });

  it('has a cause whenever it is Late or Stale and not halted', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const health = getSyncHealth(facts, nowMs);
        fc.pre(facts.status !== 'Halted' && (health === 'Late' || health === 'Stale'));
        expect(listSyncCauses({ ...facts, health }, nowMs)).not.toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('gets Late and then Stale as a change waits or a platform stays silent', () => {
    const { lateAfterMs, staleAfterMs } = syncHealthRule;
    const afterMs = [0, lateAfterMs, lateAfterMs + 1, staleAfterMs, staleAfterMs + 1];
    const expected = ['Fresh', 'Fresh', 'Late', 'Late', 'Stale'];
    expect(afterMs.map((ms) => getSyncHealth({ ...fresh, lastPinged: nowMs - ms }, nowMs))).toEqual(expected);
    expect(afterMs.map((ms) => getSyncHealth({ ...fresh, heliumToJourneyLagMs: ms }, nowMs))).toEqual(expected);
    expect(afterMs.map((ms) => getSyncHealth({ ...fresh, journeyToHeliumLagMs: ms }, nowMs))).toEqual(expected);
  });

  it('is Stale for a halted integration, and Idle for a disabled one without a backlog', () => {
    expect(getSyncHealth({ ...fresh, status: 'Halted' }, nowMs)).toBe('Stale');
    const disabled = { ...fresh, status: 'Disabled', heliumSyncStatus: 'Disabled', journeySyncStatus: 'Off' } as const;
    expect(getSyncHealth({ ...disabled, lastPinged: null }, nowMs)).toBe('Idle');
    expect(getSyncHealth({ ...disabled, changeLogBacklog: { entries: 1, since: null } }, nowMs)).toBe('Late');
  });
});

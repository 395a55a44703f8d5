import { Unreachable } from '@portal/kit/problems';
import { RetryLater } from '@portal/platforms/roster/fetch-external';
import {
  overlaps,
  type RosterReading,
  type RosterSource,
  type Shift,
  type Span,
} from '@portal/platforms/roster/roster-source';
import { beforeEach, describe, expect, it } from 'vitest';
import { ExternalRoster } from './external-roster.ts';

const timeZone = 'Africa/Johannesburg';
const shift = (name: string, start: string, end: string): Shift => ({
  personId: name,
  name,
  start: new Date(start),
  end: new Date(end),
});
const overNewYear = shift('A', '2026-12-28T06:00Z', '2027-01-04T06:00Z');
const inMay = shift('B', '2026-05-04T06:00Z', '2026-05-11T06:00Z');
const whole = { from: new Date('2025-12-31T22:00Z'), to: new Date('2026-12-31T22:00Z') };
const aroundNewYear = { from: new Date('2026-12-30T00:00Z'), to: new Date('2027-01-02T00:00Z') };

let now: Date;
let reads: Span[][];
let failure: Error | undefined;
let all: Shift[];
let healthChanges: (string | null)[];
let roster: ExternalRoster;

const toReading = (spans: readonly Span[], shifts: readonly Shift[], unread: readonly Span[] = []): RosterReading => ({
  shifts: spans.map((span) => shifts.filter((one) => overlaps(one, span))),
  numbers: new Map([['A', '1']]),
  warnings: unread.map(({ from }) => `Unknown from ${from.toISOString()}.`),
  notes: ['A note.'],
  unread,
});

const source: RosterSource = {
  kind: 'calendar',
  async read(spans) {
    reads.push([...spans]);
    if (failure) throw failure;
    return toReading(spans, all);
  },
};

beforeEach(() => {
  now = new Date('2026-06-01T12:00Z');
  reads = [];
  failure = undefined;
  all = [inMay, overNewYear];
  healthChanges = [];
  roster = new ExternalRoster(source, {
    timeZone,
    now: () => now,
    onHealthChange: (problem) => healthChanges.push(problem?.message ?? null),
  });
});

describe('external roster', () => {
  it('reads the source once for concurrent readers, by years of its time zone', async () => {
    const [one, other] = await Promise.all([roster.read(whole), roster.read(whole)]);
    expect(one).toEqual({
      shifts: [inMay, overNewYear],
      numbers: new Map([['A', '1']]),
      readAt: now,
      problem: null,
      warnings: [],
      notes: ['A note.'],
    });
    expect(other).toEqual(one);
    expect(reads).toEqual([[whole]]);
    await roster.read({ from: inMay.start, to: inMay.end });
    expect(reads).toHaveLength(1);
  });

  it('contains a shift across New Year once and complete, from either side', async () => {
    expect((await roster.read(aroundNewYear)).shifts).toEqual([overNewYear]);
    expect((await roster.read({ ...aroundNewYear, from: new Date('2027-01-01T00:00Z') })).shifts).toEqual([
      overNewYear,
    ]);
    expect((await roster.read(whole)).shifts).toEqual([inMay, overNewYear]);
  });

  it('stays available when it cannot be read again, with the problem and its age', async () => {
    const { readAt } = await roster.read(aroundNewYear);
    now = new Date('2026-06-01T13:00Z');
    failure = new Unreachable('It is down.');
    await roster.refresh();
    expect(await roster.read(aroundNewYear)).toMatchObject({ shifts: [overNewYear], readAt, problem: 'It is down.' });

    now = new Date('2026-06-01T14:00Z');
    failure = undefined;
    all = [inMay];
    await roster.refresh();
    expect(await roster.read(aroundNewYear)).toMatchObject({ shifts: [], readAt: now, problem: null });
    expect(healthChanges).toEqual(['It is down.', null]);
  });

  it('reports the problem if it was never read, without a request per reader', async () => {
    failure = new Unreachable('It is down.');
    await expect(roster.read(whole)).rejects.toThrow('It is down.');
    await expect(roster.read(whole)).rejects.toThrow('It is down.');
    await roster.refresh();
    expect(reads).toHaveLength(1);
    failure = undefined;
    now = new Date(now.getTime() + 20_000);
    expect((await roster.read(whole)).shifts).toHaveLength(2);
    expect(healthChanges).toEqual(['It is down.', null]);
  });

  it('waits as long as its source requests', async () => {
    const until = new Date(now.getTime() + 600_000);
    failure = new RetryLater('It asks to wait.', until);
    await roster.refresh();
    failure = undefined;
    now = new Date(until.getTime() - 1);
    await expect(roster.read(whole)).rejects.toThrow('It asks to wait.');
    expect(reads).toHaveLength(1);
    now = until;
    expect((await roster.read(whole)).problem).toBeNull();
  });

  it('shows the coming days as soon as they are read, and waits for the rest only where it is asked for', async () => {
    const later = { from: new Date('2026-08-01T00:00Z'), to: whole.to };
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = new ExternalRoster(
      {
        kind: 'PagerDuty',
        async read(spans, onProgress) {
          onProgress?.(toReading(spans, [inMay], [later]));
          await finished;
          return toReading(spans, all);
        },
      },
      { timeZone, now: () => now },
    );
    const year = slow.read(whole);
    const soon = await slow.read({ from: inMay.start, to: inMay.end });
    expect(soon).toMatchObject({ shifts: [inMay], warnings: ['Unknown from 2026-08-01T00:00:00.000Z.'] });
    finish();
    expect(await year).toMatchObject({ shifts: [inMay, overNewYear], warnings: [] });
  });

  it('keeps what is known of times that cannot be read again, and nothing that has changed', async () => {
    const atBoundary = shift('C', '2026-07-28T06:00Z', '2026-08-04T06:00Z');
    const inAugust = shift('D', '2026-08-10T06:00Z', '2026-08-17T06:00Z');
    let unread: Span[] = [];
    all = [inMay, atBoundary, inAugust];
    const partial: RosterSource = { ...source, read: async (spans) => toReading(spans, all, unread) };
    const roster = new ExternalRoster(partial, { timeZone, now: () => now });
    await roster.read(whole);
    unread = [{ from: new Date('2026-08-01T00:00Z'), to: whole.to }];
    all = [];
    await roster.refresh();
    expect(await roster.read(whole)).toMatchObject({
      shifts: [inAugust],
      warnings: ['Unknown from 2026-08-01T00:00:00.000Z.'],
    });
  });

  it('reports a time that was not read at all, instead of an empty roster', async () => {
    const unread = [
      { from: new Date('2026-06-15T00:00Z'), to: new Date('2026-08-01T00:00Z') },
      { from: new Date('2026-08-01T00:00Z'), to: whole.to },
    ];
    const partial: RosterSource = { ...source, read: async (spans) => toReading(spans, [inMay], unread) };
    const roster = new ExternalRoster(partial, { timeZone, now: () => now });
    expect((await roster.read(whole)).shifts).toEqual([inMay]);
    const july = { from: new Date('2026-07-01T00:00Z'), to: new Date('2026-09-01T00:00Z') };
    await expect(roster.read(july)).rejects.toThrow('The shifts of this time are not known.');
    const june = { from: new Date('2026-06-01T00:00Z'), to: new Date('2026-07-01T00:00Z') };
    expect((await roster.read(june)).shifts).toEqual([]);
  });

  it('caches a limited number of years and refreshes all of them', async () => {
    for (let year = 2010; year < 2030; year++)
      await roster.read({ from: new Date(Date.UTC(year, 2)), to: new Date(Date.UTC(year, 3)) });
    reads = [];
    await roster.refresh();
    const years = reads[0]?.map(({ from }) => new Date(from.getTime() + 86_400_000).getUTCFullYear());
    expect(years?.length).toBeLessThanOrEqual(6);
    expect(years).toEqual(expect.arrayContaining([2026, 2027]));
  });
});

import { Unreachable } from '@portal/kit/problems';
import { NoAnswer, RetryLater, UnexpectedStatus } from '../fetch-external.ts';
import { byStart, overlaps, type RosterReading, type RosterSource, type Shift, type Span } from '../roster-source.ts';
import { mergeParts } from './merge-parts.ts';
import type { PagerDutyAccount } from './pager-duty-account.ts';
import type { PagerDutyPeople } from './pager-duty-people.ts';
import { PagerDutySchedule } from './pager-duty-schedule.ts';
import { joinUnread, listSlices, type Slice } from './slices.ts';
import { describeOutdated, describeUnnamed, describeUnread, describeUnreadable } from './warnings.ts';
import type { Entry } from './wire.ts';

interface PagerDutySourceOptions {
  readonly team: string;
  readonly account: PagerDutyAccount;
  readonly scheduleId: string;
  /** Whether the phone number of a person is already known, so that PagerDuty need not be asked. */
  readonly hasNumberFor: (name: string) => boolean;
}

/** Why slices could not be read again. */
type Failures = ReadonlyMap<Slice, Unreachable>;

/**
 * Reads the final schedule, in which PagerDuty has already combined layers and overrides, in
 * slices. Those of the coming month are read each time, the others hourly and as far as limits
 * allow.
 */
export function createPagerDutySource(options: PagerDutySourceOptions): RosterSource {
  const { team, account, scheduleId, hasNumberFor } = options;
  const schedule = new PagerDutySchedule(`PagerDuty's schedule of ${team}`, scheduleId, account.calls);

  async function toReading(spans: readonly Span[], slices: readonly Slice[], failures: Failures) {
    const read = slices
      .flatMap((slice) => schedule.find(slice) ?? [])
      .sort((one, other) => other.readAtMs - one.readAtMs);
    const parts = read.flatMap((reading) => reading.parts);
    const { shifts, unnamed } = await nameShifts(account.people, mergeParts(parts));
    const unread = joinUnread([
      ...read.flatMap((reading) => reading.unread),
      ...slices
        .filter((slice) => schedule.find(slice) === undefined)
        .map((slice) => ({
          from: slice.from,
          to: slice.to,
          problem: failures.get(slice)?.message ?? 'They are being read.',
        })),
    ]);
    const outdated = [...failures]
      .filter(([slice, failure]) => schedule.find(slice) !== undefined && failure instanceof UnexpectedStatus)
      .map(([{ from, to }, { message }]) => ({ from, to, problem: message }));
    const people = new Map(shifts.map(({ personId, name }) => [personId, name]));
    const withoutNumber = [...people].filter(([, name]) => !hasNumberFor(name)).map(([personId]) => personId);
    const numbers = await account.people.readNumbers(withoutNumber);
    const reading: RosterReading = {
      shifts: spans.map((span) => shifts.filter((shift) => overlaps(shift, span))),
      numbers: new Map([...numbers].flatMap(([id, { value }]) => (value === undefined ? [] : [[id, value] as const]))),
      warnings: [
        ...describeUnread(unread),
        ...describeOutdated(joinUnread(outdated)),
        ...describeUnreadable(parts.flatMap(({ unreadable }) => unreadable)),
        ...describeUnnamed(unnamed),
      ],
      notes: [],
      unread,
    };
    return reading;
  }

  return {
    kind: 'PagerDuty',
    async read(spans, onProgress) {
      const slices = listSlices(spans, account.calls.now());
      const near = slices.filter(({ isNear }) => isNear);
      // One after another: the first shows which version of the API has the schedule.
      for (const slice of near) await schedule.refresh(slice);
      if (near.length > 0) {
        // Also without a listener: its names and numbers come before times far away.
        const nearest = await toReading(spans, slices, new Map());
        onProgress?.(nearest);
      }
      const failures = await refreshEach(
        schedule,
        slices.filter(({ isNear }) => !isNear),
      );
      const [failure] = failures.values();
      if (failure && slices.every((slice) => schedule.find(slice) === undefined)) throw failure;
      return toReading(spans, slices, failures);
    },
  };
}

/** Reads slices again, and returns why some could not be read. */
async function refreshEach(schedule: PagerDutySchedule, slices: readonly Slice[]): Promise<Failures> {
  const failures = new Map<Slice, Unreachable>();
  let stop: RetryLater | NoAnswer | undefined;
  for (const slice of slices) {
    try {
      if (stop && schedule.isDue(slice)) throw stop;
      await schedule.refresh(slice);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (error instanceof RetryLater || error instanceof NoAnswer) stop = error;
      failures.set(slice, error);
    }
  }
  return failures;
}

/**
 * Adds the names that PagerDuty did not send with the shifts. A person whose name is not known
 * is shown by id.
 */
async function nameShifts(
  people: PagerDutyPeople,
  entries: readonly (Entry & { readonly end: Date })[],
): Promise<{ readonly shifts: readonly Shift[]; readonly unnamed: ReadonlyMap<string, string> }> {
  const sent = new Map(
    entries.flatMap(({ personId, name }) => (name === undefined ? [] : [[personId, name] as const])),
  );
  const missing = new Set(entries.map(({ personId }) => personId).filter((id) => !sent.has(id)));
  const read = await people.readNames(missing);
  const shifts = entries
    .map(({ personId, start, end }) => ({
      personId,
      name: sent.get(personId) ?? read.get(personId)?.value ?? personId,
      start,
      end,
    }))
    .sort(byStart);
  const unnamed = [...read].flatMap(([id, { problem }]) => (problem === undefined ? [] : [[id, problem] as const]));
  return { shifts, unnamed: new Map(unnamed) };
}

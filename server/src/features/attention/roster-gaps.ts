import type { Attention } from '@portal/contract/attention';
import type { OnCall } from '@portal/contract/support-roster';
import { DateTime } from 'luxon';
import type { AttentionSource } from './attention-source.ts';

type ReadOnCall = (environment: string, now: Date) => Promise<readonly OnCall[]>;

/**
 * Teams of which nobody is on support now, or some time within the next days that are looked at.
 */
export function rosterGaps(readOnCall: ReadOnCall): AttentionSource {
  return {
    action: 'roster.view',
    subject: 'the support roster',
    async look({ environment: { name, timeZone } }) {
      const now = new Date();
      const teams = await readOnCall(name, now);
      return {
        items: teams.flatMap((team) => gapOf(team, now, timeZone)),
        // A roster that was read once stands; where it is shown it says how old it is.
        problems: teams.flatMap(({ readAt, problem }) => (readAt === null && problem !== null ? [problem] : [])),
      };
    },
  };
}

/** The next gap speaks for all of a team: one that works by day has a gap each night. */
function gapOf({ team, gaps }: OnCall, now: Date, timeZone: string): Attention[] {
  const [next, ...more] = gaps;
  if (!next) return [];
  const say = (instant: string) =>
    DateTime.fromISO(instant, { zone: timeZone }).setLocale('en-GB').toFormat('ccc d LLL HH:mm');
  const when = new Date(next.from) <= now ? `now, until ${say(next.to)}` : `from ${say(next.from)} to ${say(next.to)}`;
  const others = more.length === 0 ? '' : ` ${more.length} more ${more.length === 1 ? 'gap follows' : 'gaps follow'}.`;
  return [
    {
      kind: 'roster-gap',
      title: team,
      detail: `Nobody is on support ${when}.${others}`,
      at: next.from,
      route: `/support-roster/${encodeURIComponent(team)}`,
    },
  ];
}

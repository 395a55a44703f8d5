import type { AttentionItem } from '@portal/contract/attention';
import { DateTime } from 'luxon';
import type { AttentionSource } from './attention-source.ts';

interface RosterGaps {
  readonly team: string;
  readonly gaps: readonly { readonly from: Date; readonly to: Date }[];
  /** Whether shifts may be missing in the roster. */
  readonly isIncomplete: boolean;
  /** Why the roster was never read; null if it was. */
  readonly problem: string | null;
}

type ReadGaps = (environment: string, now: Date) => Promise<readonly RosterGaps[]>;

/** Reports teams without anyone on call now or in the coming days. */
export function rosterGaps(readGaps: ReadGaps): AttentionSource {
  return {
    action: 'roster.view',
    subject: 'the support roster',
    async findItems({ environment: { name, timeZone } }) {
      const now = new Date();
      const teams = await readGaps(name, now);
      return {
        items: teams.flatMap((team) => toItems(team, now, timeZone)),
        // An outdated roster still counts; the roster page shows its age.
        problems: teams.flatMap(({ problem }) => problem ?? []),
      };
    },
  };
}

/** Only the next gap is listed per team: a team that works by day has a gap every night. */
function toItems({ team, gaps, isIncomplete }: RosterGaps, now: Date, timeZone: string): AttentionItem[] {
  const [next, ...more] = gaps;
  if (!next) return [];
  const format = (instant: Date) =>
    DateTime.fromJSDate(instant, { zone: timeZone }).setLocale('en-GB').toFormat('ccc d LLL, HH:mm ZZ');
  const when = next.from <= now ? `now, until ${format(next.to)}` : `from ${format(next.from)} to ${format(next.to)}`;
  const moreGaps =
    more.length === 0 ? '' : ` ${more.length} more ${more.length === 1 ? 'gap follows' : 'gaps follow'}.`;
  return [
    {
      kind: 'roster-gap',
      title: team,
      detail: `${isIncomplete ? 'No one is known to be' : 'No one is'} on call ${when}.${moreGaps}`,
      at: next.from.toISOString(),
      route: `/support-roster/${encodeURIComponent(team)}`,
    },
  ];
}

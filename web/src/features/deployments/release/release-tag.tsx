import { readTagDay, splitTag } from '@portal/contract/deployments-rules';
import { formatDay } from '../../../format/instants.ts';
import { formatPlural } from '../../../format/numbers.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { ReleaseUrl } from '../schedule/schedule-facts.tsx';
import type { Release } from './use-release.ts';

const dayMs = 86_400_000;

/**
 * The tag that is released, how old it is by its name, and since when the schedule has it.
 *
 * @param today 'YYYY-MM-DD' in the environment's time zone
 */
export function ReleaseTag({ release, today }: { release: Release; today: string }) {
  const { schedule, tagSet } = release;
  const day = readTagDay(splitTag(schedule.releaseDescription)?.day ?? '');
  return (
    <div className="stack-s">
      <ReleaseUrl url={schedule.releaseTag} />
      <p>
        {day === null ? 'The name of the tag has no date.' : `Dated ${formatDay(day)}: ${describeAge(day, today)}.`}
      </p>
      {tagSet && (
        <p className="note">
          Entered by {tagSet.by} <RelativeTime at={tagSet.at} />
        </p>
      )}
    </div>
  );
}

function describeAge(day: string, today: string): string {
  const days = Math.round((Date.parse(today) - Date.parse(day)) / dayMs);
  if (days === 0) return 'today';
  return days > 0 ? `${formatPlural(days, 'day')} old` : `in ${formatPlural(-days, 'day')}`;
}

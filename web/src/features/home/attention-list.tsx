import type { Attention } from '@portal/contract/attention';
import { IconCalendarEvent, IconCircleOff, IconClockPause, IconLock, IconUserOff } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount } from '../../lib/format.ts';
import { useSession } from '../../session/use-session.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import type { Tone } from '../../ui/tone.ts';
import { ZoneTime } from '../../ui/zone-time.tsx';

const maxShown = 8;

/** Kinds without their own icon use the icon of their tone. */
const appearances: Readonly<Record<Attention['kind'], { label: string; tone: Tone; Icon: typeof IconLock | null }>> = {
  deployment: { label: 'Deployment', tone: 'primary', Icon: IconCalendarEvent },
  'halted-sync': { label: 'Sync halted', tone: 'danger', Icon: null },
  'stale-sync': { label: 'Sync stale', tone: 'danger', Icon: IconClockPause },
  'late-sync': { label: 'Sync late', tone: 'warning', Icon: IconClockPause },
  'failing-function': { label: 'Failed', tone: 'danger', Icon: null },
  'disabled-app': { label: 'Disabled', tone: 'warning', Icon: IconCircleOff },
  'locked-app': { label: 'Locked', tone: 'warning', Icon: IconLock },
  'roster-gap': { label: 'No one on call', tone: 'warning', Icon: IconUserOff },
};

/** Lists what needs attention, with a label and a link to the right screen. */
export function AttentionList({ items }: { items: readonly Attention[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? items : items.slice(0, maxShown);
  return (
    <>
      <ul className="entries">
        {shown.map((item) => (
          <Item key={`${item.kind} ${item.route} ${item.title} ${item.at}`} item={item} />
        ))}
      </ul>
      {shown.length < items.length && (
        <button type="button" className="link-button" onClick={() => setShowsAll(true)}>
          Show all {formatCount(items.length)}
        </button>
      )}
    </>
  );
}

function Item({ item: { kind, title, detail, at, route } }: { item: Attention }) {
  const { session } = useSession();
  const { label, tone, Icon } = appearances[kind];
  // Past events show how long ago they were; future events show their time.
  const isFuture = at !== null && Date.parse(at) > Date.now();
  return (
    <li>
      <StatusChip tone={tone} label={label} icon={Icon && <Icon size={13} stroke={1.8} aria-hidden />} />
      <span className="text">
        <a className="text-link" href={`#${route}`}>
          {title}
        </a>{' '}
        <span className="quiet">{detail}</span>
      </span>
      {at !== null && (
        <span className="note">
          {isFuture ? <ZoneTime at={at} timeZone={session.environment.timeZone} /> : <RelativeTime at={at} />}
        </span>
      )}
    </li>
  );
}

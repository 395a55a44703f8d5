import type { Attention } from '@portal/contract/attention';
import { IconCalendarEvent, IconCircleOff, IconClockPause, IconLock, IconUserOff } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount } from '../../lib/format.ts';
import { useSession } from '../../session/use-session.ts';
import { StatusChip } from '../../ui/status-chip.tsx';
import type { Tone } from '../../ui/tone.ts';
import { When } from '../../ui/when.tsx';
import { ZoneTime } from '../../ui/zone-time.tsx';

const mostShown = 8;

/** Without an icon of its own a kind has its tone's. */
const looks: Readonly<Record<Attention['kind'], { word: string; tone: Tone; Icon: typeof IconLock | null }>> = {
  deployment: { word: 'Deployment', tone: 'primary', Icon: IconCalendarEvent },
  'halted-sync': { word: 'Sync halted', tone: 'danger', Icon: null },
  'stale-sync': { word: 'Sync stale', tone: 'danger', Icon: IconClockPause },
  'late-sync': { word: 'Sync late', tone: 'warning', Icon: IconClockPause },
  'failing-function': { word: 'Failed', tone: 'danger', Icon: null },
  'disabled-app': { word: 'Disabled', tone: 'warning', Icon: IconCircleOff },
  'locked-app': { word: 'Locked', tone: 'warning', Icon: IconLock },
  'roster-gap': { word: 'Nobody on call', tone: 'warning', Icon: IconUserOff },
};

/** Each with what it is, in a word, and the way to where it is looked at. */
export function AttentionList({ items }: { items: readonly Attention[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? items : items.slice(0, mostShown);
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
  const { word, tone, Icon } = looks[kind];
  // What has happened is told by how long ago, what is to come by the clock it will happen by.
  const isAhead = at !== null && Date.parse(at) > Date.now();
  return (
    <li>
      <StatusChip tone={tone} label={word} icon={Icon && <Icon size={13} stroke={1.8} aria-hidden />} />
      <span className="text">
        <a className="text-link" href={`#${route}`}>
          {title}
        </a>{' '}
        <span className="quiet">{detail}</span>
      </span>
      {at !== null && (
        <span className="note">
          {isAhead ? <ZoneTime at={at} timeZone={session.environment.timeZone} /> : <When at={at} />}
        </span>
      )}
    </li>
  );
}

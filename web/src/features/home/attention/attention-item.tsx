import type { Attention } from '@portal/contract/attention';
import {
  IconCalendarEvent,
  IconCircleOff,
  IconClockPause,
  IconGitMerge,
  IconLock,
  IconUserOff,
} from '@tabler/icons-react';
import { getServerNow } from '../../../api/server-clock.ts';
import { useSession } from '../../../session/use-session.ts';
import { LongWords } from '../../../ui/long-words.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusChip } from '../../../ui/status-chip.tsx';
import type { Tone } from '../../../ui/tone.ts';
import { ZoneTime } from '../../../ui/zone-time.tsx';
import styles from './attention.module.css';

interface Appearance {
  readonly label: string;
  readonly tone: Tone;
  /** Kinds without their own icon use the icon of their tone. */
  readonly Icon: typeof IconLock | null;
  /** Describes several items in a line, such as "30 integrations are halted". */
  readonly several: string;
  /** The page that lists all of them; null if there is none. */
  readonly listRoute: string | null;
  /** Its sentence names the times, which would only be repeated. */
  readonly isTimeInSentence?: boolean;
}

const appearances: Readonly<Record<Attention['kind'], Appearance>> = {
  deployment: {
    label: 'Deployment',
    tone: 'primary',
    Icon: IconCalendarEvent,
    several: 'deployments today',
    listRoute: '/deployments',
  },
  'halted-sync': {
    label: 'Sync halted',
    tone: 'danger',
    Icon: null,
    several: 'integrations are halted',
    listRoute: '/sync',
  },
  'stale-sync': {
    label: 'Sync stale',
    tone: 'danger',
    Icon: IconClockPause,
    several: 'integrations are stale',
    listRoute: '/sync',
  },
  'late-sync': {
    label: 'Sync late',
    tone: 'warning',
    Icon: IconClockPause,
    several: 'integrations are late',
    listRoute: '/sync',
  },
  'sync-conflicts': {
    label: 'Conflicts',
    tone: 'warning',
    Icon: IconGitMerge,
    several: 'integrations have conflicts to review',
    listRoute: '/sync',
  },
  'failing-function': {
    label: 'Failed',
    tone: 'danger',
    Icon: null,
    several: 'scheduled functions failed',
    listRoute: null,
  },
  'disabled-app': {
    label: 'Disabled',
    tone: 'warning',
    Icon: IconCircleOff,
    several: 'apps are disabled',
    listRoute: null,
  },
  'locked-app': { label: 'Locked', tone: 'warning', Icon: IconLock, several: 'apps are locked', listRoute: null },
  'roster-gap': {
    label: 'No one on call',
    tone: 'warning',
    Icon: IconUserOff,
    several: 'teams have gaps',
    listRoute: '/support-roster',
    isTimeInSentence: true,
  },
};

/** Describes several items of a kind, such as "apps are disabled". */
export function describeSeveral(kind: Attention['kind']): string {
  return appearances[kind].several;
}

/** Returns the page that lists all items of a kind; null if there is none. */
export function getListRoute(kind: Attention['kind']): string | null {
  return appearances[kind].listRoute;
}

export function KindChip({ kind }: { kind: Attention['kind'] }) {
  const { label, tone, Icon } = appearances[kind];
  return <StatusChip tone={tone} label={label} icon={Icon && <Icon size={13} stroke={1.8} aria-hidden />} />;
}

/**
 * One thing that needs attention, with its label and a link to the right screen. In the list of
 * today's deployments, the label and the date would only be repeated.
 */
export function AttentionItem(props: { item: Attention; isInListOfToday?: boolean }) {
  const { item, isInListOfToday = false } = props;
  const { kind, title, detail, at, route } = item;
  const { session } = useSession();
  const { isTimeInSentence = false } = appearances[kind];
  // Past events show how long ago they were; future events show their time.
  const isFuture = at !== null && Date.parse(at) > getServerNow();
  return (
    <li>
      {!isInListOfToday && <KindChip kind={kind} />}
      <span className={styles.sentence}>
        <a className="text-link" href={`#${route}`}>
          <PlatformText text={title} />
        </a>{' '}
        <bdi className="quiet">
          <LongWords text={detail} />
        </bdi>
      </span>
      {at !== null && !isTimeInSentence && (
        <span className={`note ${styles.time}`}>
          {isFuture ? (
            <ZoneTime at={at} timeZone={session.environment.timeZone} hasDate={!isInListOfToday} />
          ) : (
            <RelativeTime at={at} />
          )}
        </span>
      )}
    </li>
  );
}

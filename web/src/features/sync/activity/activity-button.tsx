import type { ResponseOf } from '@portal/contract/endpoint';
import { type listActivity, listedHours } from '@portal/contract/sync/activity';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { createContext, use } from 'react';
import { TrendBars } from '../../../ui/trend-bars.tsx';
import type { Overlay } from '../sync-address.ts';
import styles from './activity.module.css';
import { describeActivity, fillIntervals, listedLength, wasLate } from './activity-intervals.ts';

/**
 * The activity of the listed integrations; undefined until it is loaded. The columns never change.
 */
export const ListedActivity = createContext<ResponseOf<typeof listActivity> | undefined>(undefined);

/**
 * The records of the last hours as small bars, which open the chart. Shows nothing without
 * activity.
 */
export function ActivityButton({
  integration: { id, appName },
  onOpen,
}: {
  integration: SyncIntegration;
  onOpen: (overlay: Overlay) => void;
}) {
  const list = use(ListedActivity);
  const listed = list?.integrations.find(({ appId }) => appId === id);
  if (!list || !listed) return null;
  const intervals = fillIntervals({ from: list.from, ...listed }, listedLength);
  const description = `Last ${listedHours} hours: ${describeActivity(intervals)}`;
  return (
    <button
      type="button"
      className={styles.button}
      title={description}
      aria-label={`Activity of ${appName}. ${description}`}
      onClick={() => onOpen({ kind: 'records', appId: id, tab: 'activity' })}
    >
      <TrendBars
        values={intervals.map(({ toJourney, toHelium }) => toJourney + toHelium)}
        warnings={intervals.map(wasLate)}
        label={null}
        size="small"
      />
    </button>
  );
}

import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { formatCountdown } from '../../format/durations.ts';
import type { RefreshTimer } from './refresh-timer.ts';

/** Shows the time of the next refresh, with buttons to pause and to refresh now. */
export function RefreshControl({ timer }: { timer: RefreshTimer }) {
  const { isPaused, isRefreshing } = timer;
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause;
  return (
    <>
      <Countdown timer={timer} />
      <Button
        variant="default"
        leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
        onClick={() => timer.pause(!isPaused)}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} stroke={1.6} aria-hidden />}
        loading={isRefreshing}
        onClick={timer.refreshNow}
      >
        Refresh
      </Button>
    </>
  );
}

/** Updates itself every second, so that the components around it do not render again. */
function Countdown({ timer: { dueMs, isPaused } }: { timer: RefreshTimer }) {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (dueMs === null) return;
    const timer = setInterval(() => setTick((tick) => tick + 1), 1000);
    return () => clearInterval(timer);
  }, [dueMs]);
  if (isPaused) return <span className="note numbers">Refresh is paused</span>;
  return (
    <span className="note numbers" role="timer">
      {dueMs === null ? 'Refreshing …' : `Refreshes in ${formatCountdown(dueMs - Date.now())}`}
    </span>
  );
}

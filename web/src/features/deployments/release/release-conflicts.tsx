import { conflictHours } from '@portal/contract/deployments';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { ZoneTime } from '../../../ui/zone-time.tsx';
import wizardStyles from '../wizard/wizard.module.css';
import type { Release } from './use-release.ts';

/** Other deployments of the same apps, schemas or data source at about the same time. */
export function ReleaseConflicts({ conflicts, timeZone }: Pick<Release, 'conflicts'> & { timeZone: string }) {
  if (conflicts.length === 0)
    return <p className="note">No other deployment of the same apps or data source within {conflictHours} h.</p>;
  return (
    <ul className={wizardStyles.checks}>
      {conflicts.map(({ id, releaseName, team, deploymentDate, reasons }) => (
        <li key={id}>
          <IconAlertTriangle size={16} stroke={1.6} aria-hidden />
          <span>
            <Link to="/deployments/$schedule" params={{ schedule: id }}>
              <PlatformText text={releaseName} />
            </Link>{' '}
            of {team}, <ZoneTime at={deploymentDate} timeZone={timeZone} />: {reasons.join(', ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

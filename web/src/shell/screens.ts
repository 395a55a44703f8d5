import { isProduction } from '@portal/contract/environments';
import {
  type Icon,
  IconApps,
  IconCalendarEvent,
  IconDatabaseSearch,
  IconDevices,
  IconDownload,
  IconHistory,
  IconHome,
  IconLockAccess,
  IconRefreshDot,
  IconStethoscope,
  IconUsers,
} from '@tabler/icons-react';

export interface Screen {
  readonly label: string;
  readonly to: string;
  readonly icon: Icon;
  /** Additional search keywords. */
  readonly keywords?: string;
}

/**
 * Returns the entries of the slide-out panel in order. Deployments is included in production only.
 */
export function getScreens(environmentName: string): readonly Screen[] {
  const deployments: Screen = {
    label: 'Deployments',
    to: '/deployments',
    icon: IconCalendarEvent,
    keywords: 'schedule release devops',
  };
  return [
    { label: 'Home', to: '/', icon: IconHome },
    { label: 'Apps', to: '/apps', icon: IconApps },
    { label: 'Helium-Journey Sync', to: '/sync', icon: IconRefreshDot, keywords: 'integrations' },
    { label: 'DB Spy', to: '/dbspy', icon: IconDatabaseSearch, keywords: 'statistics queries database' },
    { label: 'Schema Access', to: '/schema-access', icon: IconLockAccess, keywords: 'grant team sql' },
    { label: 'Support Roster', to: '/support-roster', icon: IconUsers, keywords: 'on call team' },
    { label: 'Helium Dev Client', to: '/helium-dev-latest', icon: IconDownload, keywords: 'jar install' },
    ...(isProduction(environmentName) ? [deployments] : []),
    { label: 'Audit', to: '/audit', icon: IconHistory, keywords: 'who changed what trail' },
    {
      label: 'Doctor',
      to: '/doctor',
      icon: IconStethoscope,
      keywords: 'examine platform data sources connection check',
    },
    { label: 'Sessions', to: '/sessions', icon: IconDevices, keywords: 'signed in devices browsers sign out' },
  ];
}

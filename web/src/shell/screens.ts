import { isProduction } from '@portal/contract/environments';
import {
  type Icon,
  IconApps,
  IconCalendarEvent,
  IconDatabaseSearch,
  IconDownload,
  IconHistory,
  IconHome,
  IconLockAccess,
  IconRefreshDot,
  IconUsers,
} from '@tabler/icons-react';

export interface Screen {
  readonly label: string;
  readonly to: string;
  readonly icon: Icon;
  /** Other words it is looked for by. */
  readonly words?: string;
}

/** The entries of the slide-out panel, in its order. Deployments are there in production only. */
export function screensOf(environmentName: string): readonly Screen[] {
  const deployments: Screen = {
    label: 'Deployments',
    to: '/deployments',
    icon: IconCalendarEvent,
    words: 'schedule release devops',
  };
  return [
    { label: 'Home', to: '/', icon: IconHome },
    { label: 'Apps', to: '/apps', icon: IconApps },
    { label: 'Helium-Journey Sync', to: '/sync', icon: IconRefreshDot, words: 'integrations' },
    { label: 'DB Spy', to: '/dbspy', icon: IconDatabaseSearch, words: 'statistics queries database' },
    { label: 'Schema Access', to: '/schema-access', icon: IconLockAccess, words: 'grant team sql' },
    { label: 'Support Roster', to: '/support-roster', icon: IconUsers, words: 'on call team' },
    { label: 'Helium Dev Client', to: '/helium-dev-latest', icon: IconDownload, words: 'jar install' },
    ...(isProduction(environmentName) ? [deployments] : []),
    { label: 'Audit', to: '/audit', icon: IconHistory, words: 'who changed what trail' },
  ];
}

import type { SyncConfig } from '@portal/contract/sync/config';
import {
  defaultUpdateIntervalMins,
  type Enrollment,
  type EnrollmentType,
  sessionContainerObjectFieldHints,
  sessionObjectFieldHints,
  sessionUserFieldHints,
  userFieldHints,
} from '@portal/contract/sync/enrollment';
import type { EnvironmentConfig } from '../setup/config.ts';

/** The Helium app of an integration, as the server read it for the caller. */
export interface AppFacts {
  readonly id: string;
  readonly name: string;
  readonly schemaName: string;
}

/** Returns the initial configuration of a new integration: both directions, from the beginning. */
export function createTemplate(app: AppFacts, environment: EnvironmentConfig, mode: EnrollmentType): SyncConfig {
  const { baseUrl, journeyBaseUrls } = environment;
  const [only = '', ...others] = journeyBaseUrls;
  return {
    enabled: true,
    enableJourneyToHelium: true,
    enableHeliumToJourney: true,
    helium: { appId: app.id, dbSchema: app.schemaName, baseUrl },
    journey: {
      appId: '',
      baseUrl: others.length === 0 ? only : '',
      restAPICredentials: { userName: '', password: '' },
    },
    heliumToJourney: { changeLogMinVersion: 0, changeLogMinVersionAsString: '0', changeLogSkipTables: [] },
    journeyToHelium: { oplogMinVersion: 0, oplogMinVersionAsString: '0', oplogSkipObjectTypes: [] },
    journeyToHeliumEnrollment: createEnrollmentTemplate(mode),
    basedOn: null,
  };
}

export function createEnrollmentTemplate(mode: EnrollmentType): Enrollment {
  const common = {
    enabled: false,
    heliumObjectName: 'User',
    journeyObjectName: 'user',
    updateIntervalMins: defaultUpdateIntervalMins,
  };
  if (mode === 'user') return { type: 'user', ...common, ...proposeNames(userFieldHints) };
  return {
    type: 'session',
    ...common,
    ...proposeNames(sessionUserFieldHints),
    sessionObjectName: 'UserSession',
    sessionContainerObjectName: 'UserSessionContainer',
    sessionObjectFieldNames: proposeNames(sessionObjectFieldHints),
    sessionContainerObjectFieldNames: proposeNames(sessionContainerObjectFieldHints),
  };
}

/** Proposes attribute names from the settings: `lastConnected` for `lastConnectedFieldName`. */
function proposeNames<Hints extends object>(hints: Hints): Partial<Record<keyof Hints & string, string>> {
  const names: Partial<Record<keyof Hints & string, string>> = {};
  for (const setting in hints) names[setting] = setting.replace(/Field[Nn]ame$/, '');
  return names;
}

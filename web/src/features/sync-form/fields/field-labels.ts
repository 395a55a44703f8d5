import { paths } from '../draft/draft.ts';

const labels: Readonly<Record<string, string>> = {
  config: 'Configuration',
  enabled: 'Enabled',
  enableHeliumToJourney: 'Helium to Journey',
  enableJourneyToHelium: 'Journey to Helium',
  conflictPolicy: 'When both sides changed the same field',
  [paths.maxDeletedPercent]: 'Maximum deletions (percent)',
  logRecordIds: 'Log record ids',
  'helium.appId': 'Helium app ID',
  'helium.baseUrl': 'Helium base URL',
  'helium.dbSchema': 'Helium schema',
  'journey.appId': 'Journey app ID',
  [paths.journeyUrl]: 'Journey base URL',
  [paths.userName]: 'Journey username',
  [paths.password]: 'Journey password',
  [paths.changeLogMinVersion]: 'Change Log Min Version',
  [paths.skipTables]: 'Change Log Skip Tables',
  [paths.oplogMinVersion]: 'Op-log Min Version',
  [paths.skipObjectTypes]: 'Op-log Skip Object Types',
  [`${paths.enrollment}.enabled`]: 'Enrollment enabled',
  [`${paths.enrollment}.type`]: 'Mode',
  [`${paths.enrollment}.heliumObjectName`]: 'Helium user object',
  [`${paths.enrollment}.journeyObjectName`]: 'Journey user object',
  [`${paths.enrollment}.sessionObjectName`]: 'Helium session object',
  [`${paths.enrollment}.sessionContainerObjectName`]: 'Helium session container object',
  [`${paths.enrollment}.updateIntervalMins`]: 'Update interval (minutes)',
};

const groupNames: Readonly<Record<string, string>> = {
  sessionObjectFieldNames: 'Session: ',
  sessionContainerObjectFieldNames: 'Container: ',
};

/** Returns the label of a field on its own, such as in a list of changes. */
export function getLabel(path: string): string {
  const [group = ''] = path.split('.').slice(-2);
  return (
    labels[path] ??
    `${groupNames[group] ?? (path.startsWith(paths.enrollment) ? 'User: ' : '')}${getAttributeLabel(path)}`
  );
}

const specialWords: Readonly<Record<string, string>> = { os: 'OS', url: 'URL', fk: 'foreign key', id: 'ID' };

/** Returns the label of an attribute: 'deviceOsFieldName' becomes "Device OS". */
export function getAttributeLabel(path: string): string {
  const name = path.slice(path.lastIndexOf('.') + 1).replace(/Field[Nn]ame$/, '');
  const text = name
    .split(/(?=[A-Z])/)
    .map((word) => specialWords[word.toLowerCase()] ?? word.toLowerCase())
    .join(' ')
    .replace(/\bre (?=enrollment|authenticate)/, 're-');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

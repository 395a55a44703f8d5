import type { ConfigProblem } from '@portal/contract/sync/config';

const enrollment = 'journeyToHeliumEnrollment';

const labels: Readonly<Record<string, string>> = {
  config: 'Configuration',
  enabled: 'Enabled',
  enableHeliumToJourney: 'Helium to Journey',
  enableJourneyToHelium: 'Journey to Helium',
  conflictPolicy: 'When both sides changed the same field',
  maxDeletedPercent: 'Maximum deletions (percent)',
  logRecordIds: 'Log record ids',
  'helium.appId': 'Helium app ID',
  'helium.baseUrl': 'Helium base URL',
  'helium.dbSchema': 'Helium schema',
  'journey.appId': 'Journey app ID',
  'journey.baseUrl': 'Journey base URL',
  'journey.restAPICredentials.userName': 'Journey username',
  'journey.restAPICredentials.password': 'Journey password',
  'heliumToJourney.changeLogMinVersionAsString': 'Change Log Min Version',
  'heliumToJourney.changeLogSkipTables': 'Change Log Skip Tables',
  'journeyToHelium.oplogMinVersionAsString': 'Op-log Min Version',
  'journeyToHelium.oplogSkipObjectTypes': 'Op-log Skip Object Types',
  [`${enrollment}.enabled`]: 'Enrollment enabled',
  [`${enrollment}.type`]: 'Mode',
  [`${enrollment}.heliumObjectName`]: 'Helium user object',
  [`${enrollment}.journeyObjectName`]: 'Journey user object',
  [`${enrollment}.sessionObjectName`]: 'Helium session object',
  [`${enrollment}.sessionContainerObjectName`]: 'Helium session container object',
  [`${enrollment}.updateIntervalMins`]: 'Update interval (minutes)',
};

const groupNames: Readonly<Record<string, string>> = {
  sessionObjectFieldNames: 'Session: ',
  sessionContainerObjectFieldNames: 'Container: ',
};

/** Returns the label of a field on its own, such as in a list of changes. */
export function getLabel(path: string): string {
  const [group = ''] = path.split('.').slice(-2);
  return (
    labels[path] ?? `${groupNames[group] ?? (path.startsWith(enrollment) ? 'User: ' : '')}${getAttributeLabel(path)}`
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

/** Returns one text per problem of a configuration, with the label of its field. */
export function describeConfigProblems(problems: readonly ConfigProblem[]): string[] {
  return problems.map(({ field, reason }) => `${getLabel(field)}: ${reason}`);
}

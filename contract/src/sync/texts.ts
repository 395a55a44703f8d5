/** The specified texts about syncing. */
export const syncTexts = {
  title: 'Sync',
  badGateway: 'Bad Gateway - Invalid response from the upstream server',
  noIntegrations: (url: string) => `No Helium Journey Integrations found on ${url}`,
  noTemplate: (reason: string) => `Unable to fetch template: ${reason}`,
  noEnrollmentTemplate: (reason: string) => `Unable to fetch enrollment template ${reason}`,
  noApps: (url: string) => `No apps found on ${url}`,
  alreadyThere: (id: string) => `There is already an integration for ${id}`,
  disabled: 'Integration Disabled',
  disabledLine: 'The logs of a disabled integration cannot be streamed.',
} as const;

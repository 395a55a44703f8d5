import type { Action } from '@portal/contract/actions';

/** What a user may or may not do, as in "You cannot …". */
export const actionLabels: Readonly<Record<Action, string>> = {
  'apps.view': 'view apps',
  'logs.view': 'view logs',
  'config.view': 'view app configuration',
  'config.change': 'change apps',
  'functions.view': 'view scheduled functions',
  'functions.toggle': 'toggle scheduled functions',
  'statistics.view': 'view statistics',
  'statistics.reset': 'reset statistics',
  'schema-access.view': 'view schema access',
  'schema-access.grant': 'grant schema access',
  'deployments.view': 'view deployments',
  'deployments.change': 'change deployments',
  'roster.view': 'view the support roster',
  'roster.reveal': 'reveal phone numbers',
  'roster.change': 'change the support roster',
  'sync.view': 'view sync integrations',
  'sync.change': 'change sync integrations',
  'sync.reveal': 'reveal sync passwords',
  'dashboards.change': 'change sync dashboards',
  'audit.view': 'view the audit trail',
  'doctor.view': 'examine the platform and the data sources',
  'sessions.end': 'end the sessions of other users',
};

import * as z from 'zod/mini';

/** The actions that the access policy decides about. */
export const actionSchema = z.enum([
  'apps.view',
  'logs.view',
  'config.view',
  'config.change',
  'functions.view',
  'functions.toggle',
  'statistics.view',
  'statistics.reset',
  'schema-access.view',
  'schema-access.grant',
  'deployments.view',
  'deployments.change',
  'roster.view',
  'roster.reveal',
  'roster.change',
  'sync.view',
  'sync.change',
  'sync.reveal',
  'dashboards.change',
  'audit.view',
  'doctor.view',
  'sessions.end',
]);
export type Action = z.infer<typeof actionSchema>;

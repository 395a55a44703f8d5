import pg from 'pg';
import type { System } from './system.ts';

/**
 * Stores integrations as if another process ran them all, one in ten of which needs attention.
 * Returns their ids.
 */
export async function storeIntegrations({ databaseUrl }: System, appIds: readonly string[]): Promise<string[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      `with made as (
         insert into sync.integration
           (environment, app_id, app_name, data_source, config, journey_password, status, changed_at, changed_by)
         select 'Production', id, 'Integration ' || at, 'helium-app-1',
           jsonb_build_object(
             'enabled', true, 'enableJourneyToHelium', true, 'enableHeliumToJourney', true,
             'helium', jsonb_build_object('appId', id, 'dbSchema', 'app_' || at, 'baseUrl', 'https://helium.example.org'),
             'journey', jsonb_build_object('appId', md5(id), 'baseUrl', 'https://run-us.example.org/api/v4/' || md5(id),
               'restAPICredentials', jsonb_build_object('userName', md5(id))),
             'heliumToJourney', jsonb_build_object('changeLogMinVersionAsString', '0', 'changeLogSkipTables', '[]'::jsonb),
             'journeyToHelium', jsonb_build_object('oplogMinVersionAsString', '0', 'oplogSkipObjectTypes', '[]'::jsonb),
             'journeyToHeliumEnrollment', jsonb_build_object('type', 'user', 'enabled', false, 'heliumObjectName', 'visit',
               'journeyObjectName', 'user', 'updateIntervalMins', 15)),
           '', 'Enabled', now(), 'bench'
         from unnest($1::text[]) with ordinality as app (id, at)
         returning id
       ), lease as (
         insert into sync.lease (integration_id, holder, expires_at) select id, 'another process', 'infinity' from made
       ), head as (
         insert into sync.log_head (integration_id) select id from made
       ), figures as (
         insert into sync.figures (integration_id, figures)
         select id, jsonb_build_object(
           'heliumSyncStatus', 'Live', 'journeySyncStatus', 'Live',
           'lastPingedMs', extract(epoch from now()) * 1000,
           'heliumLastUpdatedMs', extract(epoch from now()) * 1000 - id * 1000,
           'changeLogVersion', id::text, 'oplogVersion', id::text,
           'deadLetters', case when id % 10 = 0 then 3 else 0 end)
         from made
       ), activity as (
         insert into sync.activity
         select id, 'week', date_trunc('hour', now()) - hour * interval '1 hour', id * hour, hour, hour * 20, hour * 300
         from made, generate_series(0, 23) hour
       )
       select id from made order by id`,
      [appIds],
    );
    return rows.map(({ id }) => id);
  } finally {
    await client.end();
  }
}

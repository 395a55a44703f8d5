/** Commands that take what was typed to the screen that searches for it. */
import type { DataSource } from '@portal/contract/environments';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { splitWords } from '../../format/ranking.ts';
import type { Command } from './commands.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const findId = (search: string) => splitWords(search).find((word) => uuid.test(word));

/** Returns a command per integration that looks up a record, if its id was typed. */
export function findRecordCommands(
  search: string,
  integrations: readonly Pick<SyncIntegration, 'id' | 'appName'>[],
): Command[] {
  const id = findId(search);
  if (id === undefined) return [];
  return integrations.map((integration) => ({
    id: `record/${integration.id}`,
    label: `Find record · ${integration.appName}`,
    detail: id,
    kind: 'other',
    to: '/sync',
    search: { records: integration.id, tab: 'find', find: id },
    keywords: id,
  }));
}

/** A shorter text is in too many statements. */
const minStatementChars = 3;

/** Returns a command per data source that lists its statements with the typed text. */
export function findStatementCommands(
  search: string,
  dataSources: readonly Pick<DataSource, 'heliumDataSourceName'>[],
): Command[] {
  const text = search.trim();
  if (text.length < minStatementChars || findId(text) !== undefined) return [];
  return dataSources.map(({ heliumDataSourceName: source }) => ({
    id: `statements/${source}`,
    label: `Statements with “${text}” · ${source}`,
    detail: 'DB Spy',
    kind: 'search',
    to: '/dbspy',
    search: { mode: 'datasource', source, tab: 'table', sql: text },
  }));
}

import { fileURLToPath } from 'node:url';

/**
 * The numbered SQL migrations of the sync service's schema, and the table that records which have
 * run.
 */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));
export const migrationTable = 'sync_migration';

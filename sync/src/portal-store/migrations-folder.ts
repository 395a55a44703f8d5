import { fileURLToPath } from 'node:url';

/**
 * The numbered SQL files that make the sync service's part of the portal's database, and what
 * remembers those that ran.
 */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));
export const migrationTable = 'sync_migration';

import { fileURLToPath } from 'node:url';

/** Folder of the numbered SQL files that create the portal's database. */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

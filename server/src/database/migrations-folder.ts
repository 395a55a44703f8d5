import { fileURLToPath } from 'node:url';

/** The numbered SQL files that make the portal's own database. */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

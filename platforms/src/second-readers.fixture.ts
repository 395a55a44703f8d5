/** Programs and libraries of others that tests compare the portal's own parts with. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Where `npm run second-readers` installs npm packages. */
const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'second-readers');

/** Returns the path of a package's main file; null where it is not installed. */
export function findSecondReader(name: string): string | null {
  try {
    return createRequire(join(folder, 'package.json')).resolve(name);
  } catch {
    return null;
  }
}

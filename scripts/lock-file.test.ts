import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface LockFile {
  readonly packages: Readonly<Record<string, Readonly<Record<'dependencies' | 'optionalDependencies', object>>>>;
}

// npm leaves out the variants of other platforms when it adds a package to an existing
// installation.
it('the lock file has every package that another one needs on any platform, as npm ci requires', () => {
  const { packages }: LockFile = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !listPlaces(path, name).some((place) => place in packages))
      .map((name) => `${path} needs ${name}`),
  );
  expect(missing).toEqual([]);
});

/** Returns where Node looks for a package that the package in a folder needs. */
function listPlaces(path: string, name: string): string[] {
  const folders = path.split('/');
  return [...folders, ''].map((_, count) => [...folders.slice(0, count), 'node_modules', name].join('/'));
}

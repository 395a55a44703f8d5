import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from './launcher.ts';
import { testPostgresUrl } from './test-database.ts';

export interface TestServer {
  readonly major: number;
  /** Superuser address, to its database `postgres`. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface TestVersion {
  /** 'PostgreSQL 15' */
  readonly name: string;
  readonly major: number;
  /**
   * The run's own server for the version the portal brings along, a throw-away one for any other.
   */
  start(): Promise<TestServer>;
  /**
   * One that nobody else uses, for tests of what a whole server shares. `settings` replace ours.
   */
  startAlone(settings?: Readonly<Record<string, string>>): Promise<TestServer>;
}

/** What the portal brings along. */
const embeddedMajor = 18;

/** Where systems keep their PostgreSQL packages, one folder for each major version. */
const systemFolders = ['/usr/lib/postgresql'];

/** Where `npm run postgres-versions` puts others. */
const fetched = fileURLToPath(new URL('../../../node_modules/.cache/postgres', import.meta.url));

/**
 * The PostgreSQL of each major version that this machine has, the oldest first; only the embedded
 * one where there is no other. For suites that must hold on all of them:
 * `describe.each(findTestVersions())`.
 */
export function findTestVersions(): TestVersion[] {
  const others = new Map([...programsIn(fetched, 'package'), ...systemFolders.flatMap((at) => programsIn(at, 'bin'))]);
  others.delete(embeddedMajor);
  const versions = [...others].map(([major, programs]): TestVersion => {
    const startAlone: TestVersion['startAlone'] = (settings) => startOwn(major, { programs, settings });
    return { name: `PostgreSQL ${major}`, major, start: startAlone, startAlone };
  });
  versions.push({
    name: `PostgreSQL ${embeddedMajor}`,
    major: embeddedMajor,
    start: async () => ({ major: embeddedMajor, url: testPostgresUrl(), stop: () => Promise.resolve() }),
    startAlone: (settings) => startOwn(embeddedMajor, { settings }),
  });
  return versions.sort((one, other) => one.major - other.major);
}

interface OwnServer {
  /** Folder of its programs; those of the embedded one when left out. */
  readonly programs?: string;
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

async function startOwn(major: number, { programs, settings = {} }: OwnServer): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-test-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const server = await startPostgres({ dataDir, ...(programs !== undefined && { programs }), settings, fast: true });
    return { major, url: server.url, stop: () => server.stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Folders named after a major version, 13 or newer, with the programs in a folder of theirs. */
function programsIn(folder: string, inner: string): [number, string][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => Number(name) >= 13 && existsSync(join(folder, name, inner)))
    .map((name) => [Number(name), join(folder, name, inner)]);
}

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from './launcher.ts';
import { getTestPostgresUrl } from './test-database.ts';

export interface TestServer {
  readonly major: number;
  /** Superuser address of the database `postgres`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A server that no other test uses. */
export interface ExclusiveServer extends TestServer {
  /** Returns what it has logged: RAISE LOG reports also from a transaction that is rolled back. */
  readLog(): string;
}

export interface TestVersion {
  /** 'PostgreSQL 15' */
  readonly name: string;
  readonly major: number;
  /**
   * Returns the worker's own server for the embedded version, and a temporary server for any other.
   */
  start(): Promise<TestServer>;
  /**
   * Starts a server for exclusive use, for tests of server-wide state. `settings` override the
   * defaults.
   */
  startExclusive(settings?: Readonly<Record<string, string>>): Promise<ExclusiveServer>;
}

/** The version that ships with the portal. */
const embeddedMajor = 18;

/** Folders of system packages, with one subfolder per major version. */
const systemFolders = ['/usr/lib/postgresql'];

/** Where `npm run postgres-versions` downloads versions. */
const downloadFolder = fileURLToPath(new URL('../../../node_modules/.cache/postgres', import.meta.url));

/**
 * Returns the available PostgreSQL major versions, oldest first; at least the embedded one. For
 * suites that must pass on all versions: `describe.each(findTestVersions())`.
 */
export function findTestVersions(): TestVersion[] {
  const others = new Map([
    ...findPrograms(downloadFolder, 'package'),
    ...systemFolders.flatMap((at) => findPrograms(at, 'bin')),
  ]);
  others.delete(embeddedMajor);
  const versions = [...others].map(([major, programs]): TestVersion => {
    const startExclusive: TestVersion['startExclusive'] = (settings) =>
      startTemporaryServer(major, { programs, settings });
    return { name: `PostgreSQL ${major}`, major, start: startExclusive, startExclusive };
  });
  versions.push({
    name: `PostgreSQL ${embeddedMajor}`,
    major: embeddedMajor,
    start: async () => ({ major: embeddedMajor, url: getTestPostgresUrl(), stop: () => Promise.resolve() }),
    startExclusive: (settings) => startTemporaryServer(embeddedMajor, { settings }),
  });
  return versions.sort((one, other) => one.major - other.major);
}

interface TemporaryServerOptions {
  /** Folder of its programs; defaults to the embedded ones. */
  readonly programs?: string;
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

async function startTemporaryServer(
  major: number,
  { programs, settings = {} }: TemporaryServerOptions,
): Promise<ExclusiveServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-test-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const server = await startPostgres({
      dataDir,
      ...(programs !== undefined && { programs }),
      settings,
      isFast: true,
    });
    return {
      major,
      url: server.url,
      readLog: () => readFileSync(join(dataDir, 'server.log'), 'utf8'),
      stop: () => server.stop().finally(remove),
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Returns folders named after a major version, 11 or newer, that contain a folder of programs. */
function findPrograms(folder: string, inner: string): [number, string][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => Number(name) >= 11 && existsSync(join(folder, name, inner)))
    .map((name) => [Number(name), join(folder, name, inner)]);
}

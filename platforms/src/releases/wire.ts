/** Reads the versions of an artifact from the `maven-metadata.xml` of a Maven repository. */
import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import { compareVersions, isSnapshot } from './maven-version.ts';

/** The parser returns an empty element as an empty string. */
const orEmpty = <Shape extends z.ZodType>(shape: Shape) => z.union([shape, z.literal('').transform(() => undefined)]);

const MavenMetadata = z.object({
  metadata: z.object({
    versioning: z.object({
      release: z.string().optional(),
      versions: orEmpty(z.object({ version: z.array(z.string()) })).optional(),
    }),
  }),
});

/** Leaves all values as text and expands no entities. */
const parser = new XMLParser({
  parseTagValue: false,
  processEntities: false,
  isArray: (_name, path) => path === 'metadata.versioning.versions.version',
});

/**
 * Returns the version the repository names as its release, or else the newest version that is not a
 * snapshot. Null when there are only snapshots. Throws when the text is not Maven metadata.
 */
export function readLatestRelease(xml: string): string | null {
  if (/<!doctype/i.test(xml)) throw new Error('it declares a document type');
  const { versioning } = MavenMetadata.parse(parser.parse(xml, true)).metadata;
  const { release, versions } = versioning;
  if (release !== undefined && isRelease(release)) return release;
  const releases = (versions?.version ?? []).filter(isRelease);
  return releases.reduce<string | null>((newest, version) => {
    return newest === null || compareVersions(version, newest) > 0 ? version : newest;
  }, null);
}

/**
 * Whether the text is a release version. Versions become part of addresses and of a command that
 * people run, so other characters are rejected.
 */
function isRelease(version: string): boolean {
  return /^[0-9a-z][0-9a-z._+-]{0,99}$/i.test(version) && !isSnapshot(version);
}

/**
 * Reads a `.sha256` file, in which the file name may follow the checksum; null when there is no
 * checksum.
 */
export function readSha256(text: string): string | null {
  return (
    text
      .trim()
      .match(/^[0-9a-f]{64}(?!\S)/i)?.[0]
      .toLowerCase() ?? null
  );
}

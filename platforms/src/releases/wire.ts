/** What a Maven repository says of an artifact's versions, in its `maven-metadata.xml`. */
import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import { compareVersions, isSnapshot } from './maven-version.ts';

/** An empty element is read as an empty text. */
const orEmpty = <Shape extends z.ZodType>(shape: Shape) => z.union([shape, z.literal('').transform(() => undefined)]);

const MavenMetadata = z.object({
  metadata: z.object({
    versioning: z.object({
      release: z.string().optional(),
      versions: orEmpty(z.object({ version: z.array(z.string()) })).optional(),
    }),
  }),
});

/**
 * Nothing in it is made into anything: versions are texts, and nobody's entities are put in for
 * them.
 */
const parser = new XMLParser({
  parseTagValue: false,
  processEntities: false,
  isArray: (_name, path) => path === 'metadata.versioning.versions.version',
});

/**
 * The version the repository calls its release; where it names none, the newest that is no
 * snapshot. Null where it has only snapshots. Throws where the text is not such a file.
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
 * A version becomes part of addresses and of a command that people run: one with anything else in
 * it is none.
 */
function isRelease(version: string): boolean {
  return /^[0-9a-z][0-9a-z._+-]{0,99}$/i.test(version) && !isSnapshot(version);
}

/**
 * From the content of a `.sha256` file, which may name the file behind the sum; null where it holds
 * none.
 */
export function readSha256(text: string): string | null {
  return (
    text
      .trim()
      .match(/^[0-9a-f]{64}(?!\S)/i)?.[0]
      .toLowerCase() ?? null
  );
}

/** Reads the versions of an artifact from the `maven-metadata.xml` of a Maven repository. */
import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import { compareVersions, isPreRelease, isSnapshot } from './maven-version.ts';

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
 * Returns the versions that are no snapshots, newest first, by Maven's order; without those that
 * come before a release, unless they are wanted or there are no others. What the repository names
 * as its release counts only where it lists no versions: it may be deleted, or the last deployed.
 * Throws when the text is not Maven metadata.
 */
export function listReleases(xml: string, { preReleases }: { readonly preReleases: boolean }): readonly string[] {
  if (/<!doctype/i.test(xml)) throw new Error('it declares a document type');
  const { versioning } = MavenMetadata.parse(parser.parse(xml, true)).metadata;
  const { release, versions } = versioning;
  const all = (versions?.version ?? (release === undefined ? [] : [release])).filter(isRelease);
  const final = all.filter((version) => !isPreRelease(version));
  return (preReleases || final.length === 0 ? all : final).toSorted((a, b) => compareVersions(b, a));
}

/**
 * Whether the text is a release version. Versions become part of addresses and of a command that
 * people run, so other characters are rejected.
 */
function isRelease(version: string): boolean {
  return /^[0-9a-z][0-9a-z._+-]{0,99}$/i.test(version) && !isSnapshot(version);
}

export type ChecksumKind = 'sha256' | 'sha1';

const digits: Readonly<Record<ChecksumKind, number>> = { sha256: 64, sha1: 40 };

/**
 * Reads a checksum file, with or without a line end, in which the file name may follow the
 * checksum; null when there is no checksum.
 */
export function readChecksum(kind: ChecksumKind, text: string): string | null {
  const pattern = new RegExp(`^[0-9a-f]{${digits[kind]}}(?!\\S)`, 'i');
  return text.trim().match(pattern)?.[0].toLowerCase() ?? null;
}

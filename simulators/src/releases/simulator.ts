/**
 * Simulates a static Maven repository with the releases of the developer client. It does not depend
 * on the portal. `faults` breaks responses as in all simulators.
 */
import { createHash } from 'node:crypto';
import { type Faults, faultModes } from '../kit/faults.ts';
import { createHttpServer, getPath, listen } from '../kit/http-server.ts';
import { plainTextErrors } from '../kit/plain-text-errors.ts';
import { createJar } from './jar.ts';

interface PublishedVersions {
  /** In order of publication. */
  readonly versions: readonly string[];
  /** The version the repository names as its release. Default: none. */
  readonly release?: string;
}

export interface ReleasesSimulator {
  readonly port: number;
  readonly metadataUrl: string;
  /** Contains `{version}`. */
  readonly clientUrl: string;
  readonly noUiClientUrl: string;
  readonly faults: Faults;
  publish(published: PublishedVersions): void;
  /** Deletes the files of these versions, which stay listed, until the next `publish`. */
  deleteFiles(versions: readonly string[]): void;
  /** Replaces the metadata with any text or with a redirect. */
  replaceMetadata(by: { readonly text: string } | { readonly location: string }): void;
  /** The requested paths, in order. */
  requests(): readonly string[];
  stop(): Promise<void>;
}

const artifact = 'he-dev-client';
const artifactFolder = `/maven2/com/mezzanineware/helium/${artifact}`;
const filePattern = new RegExp(
  `^${artifactFolder}/([^/]+)/${artifact}-(.+?)(-no-ui)?\\.(jar|pom)(?:\\.(md5|sha1|sha256|sha512))?$`,
);
const mediaTypes: Readonly<Record<string, string>> = { jar: 'application/java-archive', pom: 'text/xml' };

export const defaultVersions: PublishedVersions = {
  versions: ['2.9.0', '2.10.0', '2.12.3', '2.13.0-rc1', '2.13.0', '2.14.0', '2.15.0-SNAPSHOT'],
  release: '2.14.0',
};

/** Throws when the port is in use. */
export async function startReleasesSimulator({ port: wanted = 0 } = {}): Promise<ReleasesSimulator> {
  let published = defaultVersions;
  let deleted: ReadonlySet<string> = new Set();
  let replacement: Parameters<ReleasesSimulator['replaceMetadata']>[0] | undefined;
  const requests: string[] = [];
  const { server, faults } = createHttpServer({ modes: faultModes, errors: plainTextErrors, hasHead: true });
  server.addHook('onRequest', async (request) => void requests.push(getPath(request)));

  server.get(`${artifactFolder}/maven-metadata.xml`, (_request, reply) => {
    if (replacement && 'location' in replacement) return reply.redirect(replacement.location);
    return reply.type('text/xml').send(replacement?.text ?? writeMetadata(published));
  });
  server.get(`${artifactFolder}/*`, (request, reply) => {
    const [, folder, version = '', noUi, kind = '', checksum] = getPath(request).match(filePattern) ?? [];
    const isPublished = published.versions.includes(version) && !deleted.has(version);
    if (folder !== version || !isPublished || (noUi && kind === 'pom')) return reply.callNotFound();
    const file =
      kind === 'pom'
        ? Buffer.from(writePom(version))
        : createJar({
            'Implementation-Title': noUi ? 'Helium developer client (no ui)' : 'Helium developer client',
            'Implementation-Version': version,
          });
    // As `mvn deploy` writes them: without a line end.
    if (checksum) return reply.type('text/plain').send(createHash(checksum).update(file).digest('hex'));
    const tag = `"${createHash('sha1').update(file).digest('hex')}"`;
    reply.header('etag', tag);
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    return reply.type(mediaTypes[kind] ?? '').send(file);
  });

  const { port, baseUrl } = await listen(server, wanted);
  const folder = `${baseUrl}${artifactFolder}`;
  return {
    port,
    metadataUrl: `${folder}/maven-metadata.xml`,
    clientUrl: `${folder}/{version}/${artifact}-{version}.jar`,
    noUiClientUrl: `${folder}/{version}/${artifact}-{version}-no-ui.jar`,
    faults,
    publish: (versions) => {
      published = versions;
      deleted = new Set();
      replacement = undefined;
    },
    deleteFiles: (versions) => {
      deleted = new Set(versions);
    },
    replaceMetadata: (by) => {
      replacement = by;
    },
    requests: () => requests,
    async stop() {
      faults.clear();
      await server.close();
    },
  };
}

function writePom(version: string): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<project xmlns="http://maven.apache.org/POM/4.0.0">',
    '  <modelVersion>4.0.0</modelVersion>',
    '  <groupId>com.mezzanineware.helium</groupId>',
    `  <artifactId>${artifact}</artifactId>`,
    `  <version>${version}</version>`,
    '</project>',
    '',
  ].join('\n');
}

function writeMetadata({ versions, release }: PublishedVersions): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<metadata>',
    '  <groupId>com.mezzanineware.helium</groupId>',
    `  <artifactId>${artifact}</artifactId>`,
    '  <versioning>',
    `    <latest>${versions.at(-1) ?? ''}</latest>`,
    ...(release === undefined ? [] : [`    <release>${release}</release>`]),
    '    <versions>',
    ...versions.map((version) => `      <version>${version}</version>`),
    '    </versions>',
    '    <lastUpdated>20260131101500</lastUpdated>',
    '  </versioning>',
    '</metadata>',
    '',
  ].join('\n');
}

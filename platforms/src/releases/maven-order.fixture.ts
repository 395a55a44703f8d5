/** Maven's own order of versions, where Java and Maven are installed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const program = `
import java.io.*;
import java.util.Properties;
import org.apache.maven.artifact.versioning.ComparableVersion;

public class Compare {
  public static void main(String[] arguments) throws IOException {
    Properties properties = new Properties();
    properties.load(ComparableVersion.class.getResourceAsStream("/META-INF/maven/org.apache.maven/maven-artifact/pom.properties"));
    System.out.println(properties.getProperty("version"));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line; (line = lines.readLine()) != null;) {
      String[] pair = line.split(" ");
      System.out.println(Integer.signum(new ComparableVersion(pair[0]).compareTo(new ComparableVersion(pair[1]))));
    }
  }
}
`;

const libraries = [process.env.MAVEN_HOME, '/usr/share/maven'].flatMap((home) => (home ? [join(home, 'lib')] : []));
const isJavaInstalled = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'java')));
const library = libraries.find((folder) => existsSync(folder));

/** Whether Java and Maven are installed. */
export const isMavenInstalled = isJavaInstalled && library !== undefined;

interface MavenOrder {
  /** Of Maven: versions differ in their order. */
  readonly version: string;
  /** -1, 0 or 1 for each pair. */
  readonly orders: readonly number[];
}

/** Returns how Maven orders these pairs of versions, which contain no blanks. */
export async function compareWithMaven(pairs: readonly (readonly [string, string])[]): Promise<MavenOrder> {
  const folder = await mkdtemp(join(tmpdir(), 'maven-order-'));
  try {
    const file = join(folder, 'Compare.java');
    await writeFile(file, program);
    const input = pairs.map((pair) => `${pair.join(' ')}\n`).join('');
    const { stdout, stderr, status } = spawnSync('java', ['-cp', join(library ?? '', '*'), file], {
      input,
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    });
    if (status !== 0) throw new Error(`Java ended with ${status}: ${stderr}`);
    const [version = '', ...orders] = stdout.trim().split('\n');
    return { version, orders: orders.map(Number) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeEnvExample } from './env-example.ts';
import { writeExample } from './example-yaml.ts';
import { getConfigInputSchema } from './json-schema.ts';
import { writeReferencePage } from './reference-page.ts';

/**
 * Writes what is said about the configuration from the schema that reads it. With `--check` it only
 * looks whether what is written is current, and ends with 1 when it is not.
 */
const root = new URL('../../../', import.meta.url);
const schema = getConfigInputSchema();
const files: Readonly<Record<string, string>> = {
  'portal.config.example.yaml': writeExample(schema),
  'docs/configuration.md': writeReferencePage(schema),
  '.env.example': writeEnvExample(schema),
};

for (const [name, text] of Object.entries(files)) {
  const path = fileURLToPath(new URL(name, root));
  if (read(path) === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${name} is not what server/src/config.ts makes it: run npm run generate.`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`wrote ${name}`);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

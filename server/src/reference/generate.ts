import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeEnvExample } from './env-example.ts';
import { writeExample } from './example-yaml.ts';
import { getConfigInputSchema } from './json-schema.ts';
import { writeReferencePage } from './reference-page.ts';

/**
 * Generates the configuration reference from its schema. With `--check`, only verifies that it is
 * current, and exits with 1 if it is not.
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
    console.error(`${name} does not match server/src/config.ts. Run npm run generate.`);
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

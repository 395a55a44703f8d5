import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeEnvExample } from './env-example.ts';
import { writeExample } from './example-yaml.ts';
import { getConfigInputSchema } from './json-schema.ts';
import { writeKnownLimits } from './known-limits.ts';
import { writeReferencePage } from './reference-page.ts';
import { writeRulesTable } from './rules-table.ts';

/**
 * Generates the configuration reference from its schema, the table of rules from the contract, and
 * what the sync guide shows of the known limits.
 * With `--check`, only verifies that they are current, and exits with 1 if one is not.
 */
const root = new URL('../../../', import.meta.url);
const schema = getConfigInputSchema();
const files: Readonly<Record<string, string>> = {
  'portal.config.example.yaml': writeExample(schema),
  'docs/configuration.md': writeReferencePage(schema),
  '.env.example': writeEnvExample(schema),
  'web/src/features/sync-guide/known-limits.json': writeKnownLimits(read('docs/sync-faults.md') ?? ''),
  'docs/security.md': writeRulesTable(read('docs/security.md') ?? ''),
};

for (const [name, text] of Object.entries(files)) {
  if (read(name) === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${name} does not match the code it is generated from. Run npm run generate.`);
    process.exitCode = 1;
  } else {
    writeFileSync(toPath(name), text);
    console.log(`wrote ${name}`);
  }
}

function toPath(name: string): string {
  return fileURLToPath(new URL(name, root));
}

function read(name: string): string | undefined {
  try {
    return readFileSync(toPath(name), 'utf8');
  } catch {
    return undefined;
  }
}

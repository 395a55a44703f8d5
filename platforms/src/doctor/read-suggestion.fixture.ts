import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration } from '@portal/kit/config';
import { z } from 'zod';
import { type HeliumDialect, heliumDialect } from '../helium/dialect/dialect.config.ts';

const file = z.strictObject({
  environments: z.tuple([z.strictObject({ name: z.string(), helium: heliumDialect })]),
});

/** Returns the dialect of a configuration file that has the suggested lines. */
export function readSuggestion(lines: readonly string[]): HeliumDialect {
  const folder = mkdtempSync(join(tmpdir(), 'suggestion-'));
  const path = join(folder, 'portal.yaml');
  try {
    writeFileSync(path, lines.join('\n'));
    return loadConfiguration(file, { file: path, env: {} }).environments[0].helium;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

import { chmodSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';

/**
 * Writes a value as YAML below a one-line comment, readable by the owner only because it may hold
 * secrets.
 */
export function writeYaml(file: string, comment: string, value: unknown): void {
  writeFileSync(file, `# ${comment}\n${stringify(value)}`, { mode: 0o600 });
  // The mode above is that of a new file.
  chmodSync(file, 0o600);
}

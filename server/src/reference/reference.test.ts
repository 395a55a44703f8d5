import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigurationProblem } from '@portal/kit/config';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import { writeEnvExample } from './env-example.ts';
import { writeExample } from './example-yaml.ts';
import { getConfigInputSchema } from './json-schema.ts';
import { writeReferencePage } from './reference-page.ts';
import { writeRulesTable } from './rules-table.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const schema = getConfigInputSchema();

describe('generated reference', () => {
  it.each([
    ['portal.config.example.yaml', writeExample(schema)],
    ['docs/configuration.md', writeReferencePage(schema)],
    ['.env.example', writeEnvExample(schema)],
    ['docs/security.md', writeRulesTable(readFileSync(pathOf('docs/security.md'), 'utf8'))],
  ])('%s is current', (name, text) => {
    expect(readFileSync(pathOf(name), 'utf8')).toBe(text);
  });

  it('the example configuration is valid', () => {
    const config = readConfig({
      PORTAL_CONFIG: pathOf('portal.config.example.yaml'),
      PORTAL_DATABASE_URL: 'postgres://portal@db/portal',
      HELIUM_APP_1_URL: 'postgres://helium@pg-1/helium',
      HELIUM_APP_1_GRANT_URL: 'postgres://granting@pg-1/helium',
    });
    expect(config.environments[0]).toMatchObject({ name: 'Production', timeZone: 'Africa/Johannesburg' });
    expect(config.databaseUrl.reveal()).toBe('postgres://portal@db/portal');
  });

  it('reports required settings when there is no file', () => {
    expect(() => readConfig({})).toThrow(ConfigurationProblem);
    expect(() => readConfig({})).toThrow(/databaseUrl/);
    expect(() => readConfig({})).toThrow(/environments/);
  });
});

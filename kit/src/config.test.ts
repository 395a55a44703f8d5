import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigurationProblem, loadConfiguration, secretText } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const schema = z.strictObject({
  title: z.string().default('Untitled'),
  places: z.array(z.strictObject({ name: z.string(), address: z.url(), token: secretText.optional() })).default([]),
});

function load(yaml: string, env: Record<string, string> = {}) {
  const file = join(folder, 'our.config.yaml');
  writeFileSync(file, yaml);
  return loadConfiguration(schema, { file, env });
}

function getErrors(action: () => unknown): readonly string[] {
  try {
    action();
  } catch (error) {
    if (error instanceof ConfigurationProblem) return error.errors;
    throw error;
  }
  return [];
}

test('uses the defaults without a configuration file and with an empty one', () => {
  expect(loadConfiguration(schema, { env: {} })).toEqual({ title: 'Untitled', places: [] });
  expect(load('# nothing yet\n')).toEqual({ title: 'Untitled', places: [] });
});

test('resolves references to environment variables and to files next to the configuration', () => {
  writeFileSync(join(folder, 'token.txt'), 'from-file\n');
  const { title, places } = load(
    `title: The \${WHO} of \${WHERE}
places:
  - {name: a, address: "http://a", token: "file:token.txt"}
  - {name: b, address: "http://b", token: "\${TOKEN}"}`,
    { WHO: 'owner', WHERE: 'here', TOKEN: `file:left \${AS} it is` },
  );
  expect(title).toBe('The owner of here');
  expect(places.map(({ token }) => token?.reveal())).toEqual(['from-file', `file:left \${AS} it is`]);
});

test('reports all configuration errors at once, each with its path', () => {
  const broken = () =>
    load(
      `title: 7
places:
  - {name: a, address: nowhere, token: "\${TOKEN}"}
  - {name: b, address: "http://b", token: "file:missing-token", color: red}`,
    );
  expect(getErrors(broken)).toEqual([
    'places[0].token: the environment variable TOKEN is not set',
    `places[1].token: the file ${join(folder, 'missing-token')} does not exist`,
    'title: Invalid input: expected string, received number',
    'places[0].address: Invalid URL',
    'places[1]: Unrecognized key: "color"',
  ]);
  expect(broken).toThrow(/^The configuration \(.*our\.config\.yaml\) has 5 errors:\n {2}places\[0\]/);
});

test('reports a missing or malformed configuration file as a configuration error', () => {
  const missing = join(folder, 'missing.yaml');
  expect(getErrors(() => loadConfiguration(schema, { file: missing, env: {} }))).toEqual([
    `the file ${missing} does not exist`,
  ]);
  expect(getErrors(() => load('title: "open\n'))).toEqual([
    expect.stringMatching(/^Missing closing "quote at line \d+, column \d+$/),
  ]);
});

test('returns a frozen configuration that does not reveal its secrets', () => {
  const configuration = load('places: [{name: a, address: "http://a", token: hush}]');
  expect(() => Object.assign(configuration.places[0] ?? {}, { name: 'b' })).toThrow(TypeError);
  expect(JSON.stringify(configuration)).not.toContain('hush');
});

test('ignores the settings of another service and their references', () => {
  const file = join(folder, 'shared.config.yaml');
  writeFileSync(file, `title: Ours\nplaces: [{ name: "\${NOT_SET_HERE}", address: nowhere }]\nunknown: 1`);
  expect(loadConfiguration(schema, { file, settings: ['title'], env: {} })).toEqual({ title: 'Ours', places: [] });
});

test.each([
  '- a\ntoken: secret\n',
  'token: |secret\n x',
  'token: *secret',
  'token: @secret',
  'token: "secret',
  'token: [secret}',
])('reports what is wrong with %j without repeating it', (yaml) => {
  const errors = getErrors(() => load(yaml));
  expect(errors).not.toEqual([]);
  expect(errors.join('\n')).not.toContain('secret');
});

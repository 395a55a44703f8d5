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

function mistakesOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigurationProblem) return error.errors;
    throw error;
  }
  return [];
}

test('without a file, and with an empty one, the defaults are the configuration', () => {
  expect(loadConfiguration(schema, { env: {} })).toEqual({ title: 'Untitled', places: [] });
  expect(load('# nothing yet\n')).toEqual({ title: 'Untitled', places: [] });
});

test('texts are completed from the environment and from files beside the configuration', () => {
  writeFileSync(join(folder, 'token.txt'), 'from-file\n');
  const { title, places } = load(
    `title: The \${WHO} of \${WHERE}
places:
  - {name: a, address: "http://a", token: "file:token.txt"}
  - {name: b, address: "http://b", token: "\${TOKEN}"}`,
    { WHO: 'keeper', WHERE: 'here', TOKEN: `file:kept \${AS} it is` },
  );
  expect(title).toBe('The keeper of here');
  expect(places.map(({ token }) => token?.reveal())).toEqual(['from-file', `file:kept \${AS} it is`]);
});

test('everything wrong is said at once, with its place', () => {
  const broken = () =>
    load(
      `title: 7
places:
  - {name: a, address: nowhere, token: "\${TOKEN}"}
  - {name: b, address: "http://b", token: "file:gone", color: red}`,
    );
  expect(mistakesOf(broken)).toEqual([
    'places[0].token: the environment variable TOKEN is not set',
    `places[1].token: there is no file ${join(folder, 'gone')}`,
    'title: Invalid input: expected string, received number',
    'places[0].address: Invalid URL',
    'places[1]: Unrecognized key: "color"',
  ]);
  expect(broken).toThrow(/^The configuration \(.*our\.config\.yaml\) has 5 mistakes:\n {2}places\[0\]/);
});

test('a file that is missing or not YAML is a mistake like any other', () => {
  const missing = join(folder, 'missing.yaml');
  expect(mistakesOf(() => loadConfiguration(schema, { file: missing, env: {} }))).toEqual([
    `there is no file ${missing}`,
  ]);
  expect(mistakesOf(() => load('title: "open\n'))).toEqual([
    expect.stringMatching(/^Missing closing "quote at line \d+, column \d+$/),
  ]);
});

test('the configuration cannot be changed and does not show its secrets', () => {
  const configuration = load('places: [{name: a, address: "http://a", token: hush}]');
  expect(() => Object.assign(configuration.places[0] ?? {}, { name: 'b' })).toThrow(TypeError);
  expect(JSON.stringify(configuration)).not.toContain('hush');
});

test("another service's settings are not looked at, nor what they refer to", () => {
  const file = join(folder, 'shared.config.yaml');
  writeFileSync(file, `title: Ours\nplaces: [{ name: "\${NOT_SET_HERE}", address: nowhere }]\nunknown: 1`);
  expect(loadConfiguration(schema, { file, settings: ['title'], env: {} })).toEqual({ title: 'Ours', places: [] });
});

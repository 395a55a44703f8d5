import { describe, expect, test } from 'vitest';
import { findBreaches } from './layout.ts';

const declared = new Map([
  ['scripts', new Set(['vitest'])],
  ['server', new Set(['fastify', '@fastify/cookie'])],
  ['web', new Set(['react'])],
]);

/** `dynamic` replaces the keyword that would turn the quoted code into an import of this file. */
function breaches(path: string, text = ''): string[] {
  return findBreaches({ files: new Map([[path, text.replace('dynamic', 'import')]]), declared });
}

describe('allowed imports', () => {
  test.each([
    [
      'server/src/app.ts',
      "import { a } from '@portal/contract/apps';\nimport b from 'fastify';\nimport '@fastify/cookie/x';",
    ],
    ['server/src/app.ts', "import { logs } from './features/logs/logs.routes.ts';"],
    [
      'server/src/features/logs/logs.routes.ts',
      "import { ring } from './parts/ring.ts';\nimport { a } from '../../policy.ts';",
    ],
    ['web/src/app.tsx', "import { a } from '@portal/contract/apps';\nconst page = dynamic('react');"],
    ['web/src/state/x.test.ts', "import { join } from 'node:path';\nimport { test } from 'vitest';"],
    ['web/vite.config.ts', "import { join } from 'node:path';"],
    ['vitest.config.ts', "import { defineConfig } from 'vitest/config';"],
    ['system/src/run-system.ts', "import { a } from '@portal/kit/shutdown';\nimport './setup.mjs';"],
    ['sync/src/engine/run/start-run.ts', "import { halt } from '../state/halt-error.ts';\nimport './open-run.ts';"],
    ['sync/src/record/two-stores.property.test.ts', "import { halt } from '../engine/state/halt-error.ts';"],
    ['kit/src/a.ts', 'const text = \'comes from "nowhere"\';'],
  ])('allows %s: %s', (path, text) => {
    expect(breaches(path, text)).toEqual([]);
  });
});

describe('forbidden imports', () => {
  test.each([
    [
      'kit/src/a.ts',
      "import { a } from '@portal/contract/apps';",
      'kit must not import contract (@portal/contract/apps)',
    ],
    ['contract/src/a.ts', "export * from '@portal/kit/config';", 'contract must not import kit (@portal/kit/config)'],
    [
      'web/src/a.tsx',
      "import type { A } from '@portal/server/app';",
      'web must not import server (@portal/server/app)',
    ],
    [
      'platforms/src/a.ts',
      "const a = await dynamic('@portal/contract/apps');",
      'platforms must not import contract (@portal/contract/apps)',
    ],
    ['server/src/a.ts', "import {\n  a,\n} from '@portal/sync/a';", 'server must not import sync (@portal/sync/a)'],
    [
      'server/src/a.ts',
      "import { a } from '../../kit/src/a.ts';",
      'reaches out of server by a relative path to kit/src/a.ts',
    ],
    [
      'server/src/features/logs/a.ts',
      "import { a } from '../audit/b.ts';",
      'feature logs must not import feature audit (server/src/features/audit/b.ts)',
    ],
    [
      'web/src/features/logs/parts/a.tsx',
      "import '../../audit/b.css';",
      'feature logs must not import feature audit (web/src/features/audit/b.css)',
    ],
    [
      'sync/src/record/merge.ts',
      "import { a } from '../helium/read-rows.ts';",
      'record must not import helium, which is not below it (sync/src/helium/read-rows.ts)',
    ],
    [
      'sync/src/engine/to-helium/loop.ts',
      "import { a } from '../to-journey/loop.ts';",
      'engine/to-helium must not import engine/to-journey, which is not below it (sync/src/engine/to-journey/loop.ts)',
    ],
    [
      'sync/src/somewhere-new/a.ts',
      "import { a } from '../record/merge.ts';",
      'is on no floor of its workspace; add its folder to scripts/layout.ts',
    ],
    [
      'web/src/api/a.ts',
      "import { a } from '../ui/page.tsx';",
      'api must not import ui, which is not below it (web/src/ui/page.tsx)',
    ],
    [
      'web/src/ui/tone.ts',
      "import type { Tone } from '@portal/contract/app-config';",
      'web/src/ui/ must not import contract (@portal/contract/app-config)',
    ],
    ['web/src/a.ts', "import { join } from 'node:path';", 'web runs in browsers and must not import node:path'],
    ['web/src/a.ts', "import fastify from 'fastify';", 'fastify is not declared in web/package.json'],
    ['server/src/a.ts', "import x from '@fastify/static';", '@fastify/static is not declared in server/package.json'],
  ])('rejects %s: %s', (path, text, breach) => {
    expect(breaches(path, text)).toEqual([`${path}: ${breach}`]);
  });
});

test.each([
  "await db.query({ name: 'read-run', text: sql, values: [1] });",
  'await db.query({ name, text, values });',
  "const query = {\n  name: 'read-run',\n  text: `select 1, 2`,\n};",
  "db.query({ text: 'select 1', name: 'read-run' })",
])('rejects a prepared statement with a name of its own: %s', (text) => {
  const breach = 'a prepared statement gets its name from namedQuery, because names do not work behind poolers';
  expect(breaches('sync/src/record/a.ts', text)).toEqual([`sync/src/record/a.ts: ${breach}`]);
  expect(breaches('kit/src/postgres/named-query.ts', text)).toEqual([]);
});

test('accepts queries without names, and names of other things', () => {
  const text = "await db.query(namedQuery('read-run', sql, [1])); field({ name: 'age', type: 'integer' });";
  expect(breaches('sync/src/record/a.ts', text)).toEqual([]);
});

test.each([
  ['server/src/index.ts', '"index" is too vague; name the file after its content'],
  ['web/src/utils/time.ts', '"utils" is too vague; name the file after its content'],
  ['web/src/AppsPage.tsx', '"AppsPage" is not kebab-case'],
  ['server/src/app_config.ts', '"app_config" is not kebab-case'],
  ['server/src/apps.controller.ts', '".controller" is not an allowed suffix'],
])('rejects the file name %s', (path, breach) => {
  expect(breaches(path)).toEqual([`${path}: ${breach}`]);
});

test.each([
  'kit/src/backoff.property.test.ts',
  'server/src/features/logs/logs.store.ts',
  'web/src/vite-env.d.ts',
  'web/vite.config.ts',
])('accepts the file name %s', (path) => {
  expect(breaches(path)).toEqual([]);
});

describe('the width of comments', () => {
  const words = `${'word '.repeat(19)}at last`;

  test.each([`// ${words}`, `/** ${words} */`, ` * ${words}`])('rejects %j', (text) => {
    expect(breaches('kit/src/a.ts', `const a = 1;\n${text}`)).toEqual([
      `kit/src/a.ts: line 2 is a comment of ${text.length} columns; 100 are allowed`,
    ]);
  });

  test.each([
    ['100 columns', `// ${words.slice(5)}`.padEnd(100, '.')],
    ['a table', ` *   ${words}`],
    ['a picture', `// ${words}  ──▶ a`],
    ['code', `const text = '${words}';`],
  ])('accepts %s', (_title, text) => {
    expect(breaches('kit/src/a.ts', text)).toEqual([]);
  });
});

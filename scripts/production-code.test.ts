import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

const root = dirname(import.meta.dirname);
const services = ['server/src/main.ts', 'sync/src/main.ts'];

/** In the names of packages. */
const cryptography = /crypt|cipher|hash|sha\d|hmac|jose|jwt|jsonwebtoken|sodium|forge|argon|noble/;

/** Every file that production loads, by path, with its text and the packages that it imports. */
const files = new Map<string, { readonly text: string; readonly packages: readonly string[] }>();

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Returns what the code imports at run time, with the files of its worker threads. */
function readImports(code: string): string[] {
  const patterns = [
    /^(?:import|export)(?! type\b)[\w\s{},*]*? from '([^']+)'/gm,
    /^import '([^']+)'/gm,
    /\bimport\('([^']+)'\)/g,
    /new URL\('(\.[^']+\.m?[jt]s)', import\.meta\.url\)/g,
  ];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([, specifier = '']) => specifier));
}

/** Returns the path of a project file; null for packages. */
function resolve(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return join(dirname(from), specifier);
  const [, workspace = '', name] = specifier.match(/^@portal\/([^/]+)\/(.+)$/) ?? [];
  if (name === undefined) return null;
  const { exports }: { exports: Record<string, string | undefined> } = JSON.parse(read(`${workspace}/package.json`));
  const pattern = Object.keys(exports).find((key) => key === `./${name}` || key === './*');
  return join(workspace, (exports[pattern ?? ''] ?? '').replace('*', name));
}

beforeAll(() => {
  const waiting = [...services];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    const text = read(path);
    const from = path;
    const imports = readImports(text).map((specifier) => ({ specifier, file: resolve(from, specifier) }));
    files.set(path, { text, packages: imports.flatMap(({ specifier, file }) => (file === null ? specifier : [])) });
    waiting.push(...imports.flatMap(({ file }) => file ?? []));
  }
});

const listMatching = (pattern: RegExp) => [...files].filter(([, { text }]) => pattern.test(text)).map(([path]) => path);
const listImporting = (...names: string[]) =>
  [...files].filter(([, { packages }]) => packages.some((name) => names.includes(name))).map(([path]) => path);

describe('the code of both services', () => {
  it('is found from their entry points, with their worker threads', () => {
    expect(files.size).toBeGreaterThan(350);
    expect(files.has('server/src/features/support-roster/portal-roster/shifts-csv-thread.mjs')).toBe(true);
  });

  it('contains no simulators, demos and tests', () => {
    const pattern = /simulator|\bdemo\b|\/testing\/|\.(test|fixture)\.ts$|^(system|e2e|bench)\//;
    expect([...files.keys()].filter((path) => pattern.test(path))).toEqual([]);
  });

  it('starts no programs', () => {
    expect(listImporting('node:child_process', 'child_process', 'node:cluster')).toEqual([]);
  });

  it('runs no code from text', () => {
    expect(listImporting('node:vm', 'node:repl')).toEqual([]);
    expect(listMatching(/\beval\(|\bnew Function\(/)).toEqual([]);
  });

  it('has no debug mode', () => {
    expect(listImporting('node:inspector')).toEqual([]);
    expect(listMatching(/\bNODE_ENV\b|\bdebugger;|env\.DEBUG\b/)).toEqual([]);
  });

  it('logs in one place, and prints only whether it started', () => {
    expect(listImporting('pino')).toEqual(['kit/src/logger.ts']);
    expect(listMatching(/\bconsole\.|\bprocess\.std(out|err)\b/)).toEqual(['kit/src/report-start.ts']);
  });

  it('uses no cryptography but that of Node.js', () => {
    const packages = [...files.values()].flatMap((file) => file.packages);
    expect(packages.filter((name) => name !== 'node:crypto' && cryptography.test(name))).toEqual([]);
    expect(listImporting('node:crypto').length).toBeGreaterThan(5);
  });
});

describe('the code of the page', () => {
  const paths = readdirSync(join(root, 'web/src'), { encoding: 'utf8', recursive: true });
  const code = paths.filter((path) => /(?<!\.test)\.tsx?$/.test(path));
  const listMatchingCode = (pattern: RegExp) => code.filter((path) => pattern.test(read(`web/src/${path}`)));

  it('is found', () => {
    expect(code.length).toBeGreaterThan(200);
  });

  it('stores nothing in the browser but through one module', () => {
    const storage = /\b(localStorage|sessionStorage|indexedDB|caches)\b|\bdocument\.cookie\b/;
    expect(listMatchingCode(storage)).toEqual(['state/browser-storage.ts']);
  });

  it('never turns text into markup', () => {
    const markup =
      /dangerouslySetInnerHTML|\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|setHTMLUnsafe|\bsrcDoc\b/;
    expect(listMatchingCode(markup)).toEqual([]);
  });
});

import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadOrCreateEncryptionKey } from './encryption.ts';
import { canEnter } from './postgres/os-account.ts';
import { letPass, makePrivateFolder } from './private-folder.ts';

let folder: string;
const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portal-private-'));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a new state folder and the folders that it is in are open to their owner only', () => {
  makePrivateFolder(join(folder, '.portal', 'company'));
  expect([join(folder, '.portal'), join(folder, '.portal', 'company')].map(modeOf)).toEqual(['700', '700']);
});

it.each([0o755, 0o775, 0o777, 0o750, 0o711])('a state folder with the mode %o loses the rights of others', (mode) => {
  const state = join(folder, 'state');
  mkdirSync(state);
  chmodSync(state, mode);
  makePrivateFolder(state);
  expect(modeOf(state)).toBe('700');
});

it('a folder that everyone shares on purpose keeps its rights', () => {
  chmodSync(folder, 0o1777);
  makePrivateFolder(folder);
  expect(modeOf(folder)).toBe('1777');
});

it('the folder and the file of an encryption key that an earlier version left open are closed', () => {
  writeFileSync(join(folder, 'encryption-key'), 'a'.repeat(64), { mode: 0o644 });
  expect(loadOrCreateEncryptionKey(folder).reveal()).toBe('a'.repeat(64));
  expect([folder, join(folder, 'encryption-key')].map(modeOf)).toEqual(['700', '600']);
});

it.runIf(process.getuid?.() === 0)("only PostgreSQL's account passes through root's folder to its data", () => {
  const [server, other] = [
    { uid: 65_501, gid: 65_501 },
    { uid: 65_502, gid: 65_502 },
  ];
  const state = join(folder, 'state');
  makePrivateFolder(state);
  mkdirSync(join(state, 'postgres'), { mode: 0o711 });
  expect(canEnter(join(state, 'postgres'), server)).toBe(false);
  letPass([state], server);
  // Each later start tightens the folder again.
  makePrivateFolder(state);
  expect(modeOf(state)).toBe('710');
  expect(canEnter(join(state, 'postgres'), server)).toBe(true);
  expect(canEnter(join(state, 'postgres'), other)).toBe(false);
});

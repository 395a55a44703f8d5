import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const page = '<!doctype html><title>Portal</title>';
const script = 'console.log(1);'.repeat(100);

let folder: string;
let server: TestServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-page-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), page);
  await writeFile(join(folder, 'assets', 'app-1a2b.js'), script);
  await writeFile(join(folder, 'assets', 'app-1a2b.js.br'), brotliCompressSync(script));
  await writeFile(join(folder, 'assets', 'app-1a2b.js.gz'), gzipSync(script));
  await writeFile(join(folder, '.secret'), 'not for you');
  server = await startTestServer({
    environments: [{ name: 'Production', baseUrl: 'http://127.0.0.1:1' }],
    pageFolder: folder,
  });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('static files', () => {
  it('the page is served at the root and revalidated each time', async () => {
    const response = await server.client().send('GET', '/');
    expect(response.text).toBe(page);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it.each([
    ['br', 'br'],
    // Browsers offer brotli over https only.
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
  ])('assets are served precompressed to a browser that accepts %s, and cached forever', async (accepted, encoding) => {
    const response = await server
      .client()
      .send('GET', '/assets/app-1a2b.js', undefined, { 'accept-encoding': accepted });
    expect(response.text).toBe(script);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('vary')?.toLowerCase()).toContain('accept-encoding');
    const plain = await server
      .client()
      .send('GET', '/assets/app-1a2b.js', undefined, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.text).toBe(script);
  });

  it.each(['/assets', '/assets/'])('the folder %s is not listed', async (path) => {
    const response = await server.client().send('GET', path);
    expect(response.status).toBe(404);
    expect(response.text).not.toContain('app-1a2b');
  });

  it('hidden files and files outside the folder are not served', async () => {
    for (const path of [
      '/.secret',
      '/../package.json',
      '/%2e%2e/package.json',
      '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
      '/nothing.js',
    ]) {
      const response = await server.client().send('GET', path);
      expect([400, 403, 404], path).toContain(response.status);
      expect(response.text).not.toContain('not for you');
      expect(JSON.parse(response.text)).toHaveProperty('requestId');
    }
  });
});

describe('headers of every response', () => {
  it.each([
    ['the page', '/'],
    ['a file that does not exist', '/nothing.js'],
    ['a refused call', '/portal-backend/api/session'],
    ['an invalid address', '/sync/api/get/%'],
    ['an address with a part that is too long', `/portal-backend/api/deployment/history/${'x'.repeat(300)}`],
  ])('%s is not framed, and sends no referrer', async (_, path) => {
    const { headers } = await server.client().send('GET', path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const policy = headers.get('content-security-policy')?.split('; ');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain(path.includes('/api/') ? "default-src 'none'" : "object-src 'none'");
  });
});

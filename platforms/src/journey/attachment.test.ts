import { gzipSync } from 'node:zlib';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRequest } from './call.ts';
import { catchProblem } from './catch-problem.fixture.ts';
import { createJourneyClient, type JourneyClient } from './client.ts';
import { createPhoto } from './create-photo.fixture.ts';
import type { FileType } from './file-content.ts';
import { cut, hang, plain, type Script, type ScriptedServer, startScriptedServer } from './scripted-server.fixture.ts';

const userName = '5f0c1d2e3a4b5c6d7e8f9a0b';
const api = `/api/v4/${userName}`;
const photoType: FileType = { kind: 'photo' };
const photo = createPhoto(4_000);
const jpeg = { 'content-type': 'image/jpeg' };

let server: ScriptedServer;
let other: ScriptedServer;
beforeAll(async () => {
  [server, other] = await Promise.all([startScriptedServer(), startScriptedServer()]);
});
afterAll(() => Promise.all([server.stop(), other.stop()]));

function createClient(options: { fileHosts?: string[]; timeoutMs?: number; maxResponseBytes?: number } = {}) {
  return createJourneyClient({ baseUrl: server.origin, userName, password: new Secret('secret'), ...options });
}

function download(type: FileType = photoType, client: JourneyClient = createClient()) {
  return client.attachment(`${server.origin}${api}/attachments/1/original?size=1`, type);
}

/** Ends the body with the connection, and does not announce its length. */
function untilClosed(body: Buffer, type = 'image/jpeg'): Script {
  return (_response, _request, socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n`);
    socket.end(body);
  };
}

/** Announces the whole body and sends a part of it. */
function cutOff(body: Buffer, bytes: number): Script {
  return (response, _request, socket) => {
    response.writeHead(200, { ...jpeg, 'content-length': body.length });
    response.write(body.subarray(0, bytes), () => socket.destroy());
  };
}

const redirectTo = (location: string, status = 302) => plain('', status, { location });

describe('Journey attachment', () => {
  it('follows the redirect to the file, asks for any type, and names the file by its final address', async () => {
    server.play(redirectTo('../../../../../files/My%20photo.jpg?key=k'), plain(photo, 200, jpeg));
    expect(await download()).toEqual({ bytes: photo, mediaType: 'image/jpeg', fileName: 'My photo.jpg' });
    expect(server.seen).toMatchObject([
      { path: `${api}/attachments/1/original`, query: { size: '1' }, headers: { accept: '*/*' } },
      { path: '/files/My%20photo.jpg', query: { key: 'k' } },
    ]);
  });

  it('names the file by its content disposition, and not by a made-up name', async () => {
    server.play(plain(photo, 200, { ...jpeg, 'content-disposition': 'attachment; filename="field 1.jpg"' }));
    expect((await download()).fileName).toBe('field 1.jpg');
    server.play(plain(photo, 200, jpeg));
    expect((await download()).fileName).toBeUndefined();
  });

  it.each<[string, Script, string]>([
    ['a maintenance page', plain('<!doctype html>Maintenance', 200, { 'content-type': 'text/html' }), 'text/html'],
    ['a web page that claims to be a photo', plain('<!doctype html>Maintenance', 200, jpeg), 'not an image'],
    [
      'a JSON error document',
      plain('{"error":"try again"}', 200, { 'content-type': 'application/json' }),
      'application/json',
    ],
    [
      'an XML error of an object store',
      plain('<?xml version="1.0"?><Error/>', 200, { 'content-type': 'application/xml' }),
      'application/xml',
    ],
    ['an empty body', plain('', 200, jpeg), 'an empty file'],
    ['no content', plain('', 204, jpeg), 'status 204'],
    ['that it prepares the file', plain('preparing', 202), 'status 202'],
    ['a part of the file', plain(photo.subarray(0, 100), 206, jpeg), 'status 206'],
    ['a body without a length, cut at 500 bytes', untilClosed(photo.subarray(0, 500)), ''],
    ['an unknown encoding', plain(photo, 200, { ...jpeg, 'content-encoding': 'br' }), 'encoding br'],
    ['a part of the announced length', cutOff(photo, 500), 'lost the connection'],
    ['a redirect without an address', plain('', 302), 'a redirect without a valid address'],
    ['not modified', plain('', 304), 'status 304'],
    ['that credentials are missing', plain('', 401), 'status 401'],
    ['that access is denied', plain('', 403), 'status 403'],
    ['too many calls', plain('', 429, { 'retry-after': '7' }), 'status 429'],
    ['an internal error', plain('', 500), 'status 500'],
  ])('does not take %s for the photo, and returns the right photo afterwards', async (_what, wrong, reason) => {
    const rejected = reason !== '';
    server.play(wrong, plain(photo, 200, jpeg));
    if (rejected) {
      const problem = await catchProblem(download());
      expect(problem.failure.kind).toBe('file-failed');
      expect(problem.message).toContain(reason);
      expect(problem.message).not.toContain('secret');
    }
    expect((await download()).bytes).toEqual(photo);
    expect(server.seen).toHaveLength(2);
  });

  it.each([404, 410])('reports a file that is gone with status %i as not found', async (status) => {
    server.play(plain('', status));
    expect(await catchProblem(download())).toMatchObject({ failure: { kind: 'not-found' } });
  });

  it('passes the requested pause of one file on, in milliseconds', async () => {
    server.play(plain('', 429, { 'retry-after': '7' }));
    expect((await catchProblem(download())).failure).toEqual({ kind: 'file-failed', retryAfterMs: 7_000 });
  });

  it.each<[string, Script]>([
    ['identity encoding', plain(photo, 200, { ...jpeg, 'content-encoding': 'identity' })],
    ['gzip encoding', plain(gzipSync(photo), 200, { ...jpeg, 'content-encoding': 'gzip' })],
    ['no type', plain(photo, 200, { 'content-type': 'application/octet-stream' })],
    ['no length, but an end mark', untilClosed(photo)],
  ])('accepts a photo with %s', async (_what, script) => {
    server.play(script, cut);
    expect(await download()).toMatchObject({ bytes: photo, mediaType: 'image/jpeg' });
  });

  it('rejects a gzip body that is cut off, also without a length', async () => {
    const cutBody = gzipSync(photo).subarray(0, 500);
    server.play((_response, _request, socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: image/jpeg\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n',
      );
      socket.end(cutBody);
    });
    expect((await catchProblem(download())).failure.kind).toBe('file-failed');
  });

  it('accepts a body without length and end mark when a second download returns the same bytes', async () => {
    const text = { kind: 'attachment', media: 'text/plain' } as const;
    const notes = Buffer.from('notes of the visit');
    server.play(untilClosed(notes, 'text/plain'));
    expect((await download(text)).bytes).toEqual(notes);
    expect(server.seen).toHaveLength(2);
    server.play(untilClosed(notes.subarray(0, 5), 'text/plain'), untilClosed(notes.subarray(0, 9), 'text/plain'));
    expect((await catchProblem(download(text))).message).toContain('different bytes');
  });

  it('does not accept a photo that is cut at the end of its thumbnail', async () => {
    const thumbnailEnd = photo.indexOf(Buffer.from('ffd9', 'hex')) + 2;
    server.play(untilClosed(photo.subarray(0, thumbnailEnd)), untilClosed(photo.subarray(0, thumbnailEnd + 100)));
    expect((await catchProblem(download())).message).toContain('different bytes');
  });

  it('checks the type and the content of an attachment against the media of its field', async () => {
    server.play(plain('%PDF-1.7', 200, { 'content-type': 'Application/PDF; q=1' }));
    expect((await download({ kind: 'attachment', media: 'application/pdf' })).mediaType).toBe('application/pdf');
    const problem = await catchProblem(download({ kind: 'attachment', media: 'text/csv' }));
    expect(problem.message).toContain('sent a file of the type application/pdf, but the field takes text/csv');
  });

  it('keeps a download that is slower than a call may be, as long as bytes arrive', async () => {
    const client = createClient({ timeoutMs: 1_500 });
    let rest = photo;
    server.play((response) => {
      response.writeHead(200, { ...jpeg, 'content-length': photo.length });
      const timer = setInterval(() => {
        response.write(rest.subarray(0, 600));
        rest = rest.subarray(600);
        if (rest.length === 0) {
          clearInterval(timer);
          response.end();
        }
      }, 300);
    });
    expect((await download(photoType, client)).bytes).toEqual(photo);
  });

  const stopAfterFive: Script = (response) =>
    void response.writeHead(200, { ...jpeg, 'content-length': 10 }).write('12345');
  it.each([
    ['before its first byte', hang, 'sent nothing for 1 s'],
    ['in the middle', stopAfterFive, 'sent only 5 bytes within 1 s'],
  ])('ends a download in which no byte arrives in time, %s', async (_where, script, reason) => {
    server.play(script);
    const problem = await catchProblem(download(photoType, createClient({ timeoutMs: 1_000 })));
    expect(problem.failure.kind).toBe('file-failed');
    expect(problem.message).toContain(reason);
  });

  it('ends a download whose bytes arrive one by one', async () => {
    server.play((response) => {
      response.writeHead(200, { ...jpeg, 'content-length': photo.length });
      let at = 0;
      const timer = setInterval(() => response.write(photo.subarray(at, ++at)), 20);
      response.once('close', () => clearInterval(timer));
    });
    const problem = await catchProblem(download(photoType, createClient({ timeoutMs: 500 })));
    expect(problem.failure.kind).toBe('file-failed');
    expect(problem.message).toMatch(/sent only \d+ bytes within 0\.5 s during a download\.$/);
  });

  it('ends a download with the reason of its signal', async () => {
    const controller = new AbortController();
    const reason = new Error('The run was stopped.');
    server.play(() => controller.abort(reason));
    const url = `${server.origin}${api}/attachments/1/original`;
    await expect(createClient().attachment(url, photoType, controller)).rejects.toBe(reason);
  });

  it('stops reading a file that is too large', async () => {
    server.play(plain(photo, 200, jpeg));
    const problem = await catchProblem(download(photoType, createClient({ maxResponseBytes: 1_000 })));
    expect(problem).toMatchObject({ failure: { kind: 'too-large' }, message: expect.stringContaining('1000 bytes') });
  });
});

describe('Journey attachment on other hosts', () => {
  const listed = () => createClient({ fileHosts: [new URL(other.origin).host] });

  it('sends no credentials to a listed host', async () => {
    server.play(redirectTo(`${other.origin}/bucket/field.jpg?key=k`));
    other.play(plain(photo, 200, jpeg));
    expect(await download(photoType, listed())).toMatchObject({ bytes: photo, fileName: 'field.jpg' });
    expect(server.seen[0]?.headers.authorization).toMatch(/^Basic /);
    expect(other.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it('asks a listed host for the file when the object names it, without credentials', async () => {
    other.play(plain(photo, 200, jpeg));
    expect((await listed().attachment(`${other.origin}/field.jpg`, photoType)).bytes).toEqual(photo);
    expect(other.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it('sends no credentials after it was redirected away from Journey, not even to Journey', async () => {
    server.play(redirectTo(`${other.origin}/away`), plain(photo, 200, jpeg));
    other.play(redirectTo(`${server.origin}${api}/users.json`));
    await download(photoType, listed());
    expect(server.seen[1]?.path).toBe(`${api}/users.json`);
    expect(server.seen[1]?.headers).not.toHaveProperty('authorization');
  });

  it('names the host and the setting when a redirect leads to a host that is not listed', async () => {
    other.play(plain(photo, 200, jpeg));
    const { host } = new URL(other.origin);
    server.play(redirectTo(`${other.origin}/field.jpg?key=signed`));
    const problem = await catchProblem(download());
    expect(problem.failure.kind).toBe('invalid-request');
    expect(problem.message).toContain(host);
    expect(problem.message).toContain('sync.fileHosts');
    expect(problem.message).not.toContain('signed');
    expect(other.seen).toEqual([]);
  });

  it('does not call a host that is not listed when the object names it', async () => {
    other.play(plain(photo, 200, jpeg));
    for (const elsewhere of [
      `${other.origin}/a.jpg`,
      'https://evil.example.com/a.jpg',
      server.origin.replace('http:', 'https:'),
      '//evil.example.com/a',
      'file:///etc/passwd',
      'http://',
      '',
    ]) {
      await expect(createClient().attachment(elsewhere, photoType)).rejects.toMatchObject({
        failure: { kind: 'invalid-request' },
      });
    }
    expect(other.seen).toEqual([]);
  });

  it('does not go from https to http, neither to another host nor to Journey', async () => {
    const { host } = new URL(server.origin);
    const client = createJourneyClient({
      baseUrl: `https://${host}`,
      userName,
      password: new Secret('secret'),
      fileHosts: [host, new URL(other.origin).host],
      // The client takes the calls for encrypted ones.
      request: (url, options) => sendRequest(String(url).replace('https:', 'http:'), options),
    });
    const url = `https://${host}${api}/attachments/1/original`;
    other.play(plain(photo, 200, jpeg));
    for (const target of [`${other.origin}/field.jpg`, `http://${host}/field.jpg`]) {
      server.play(redirectTo(target), plain(photo, 200, jpeg));
      const problem = await catchProblem(client.attachment(url, photoType));
      expect(problem).toMatchObject({
        failure: { kind: 'invalid-request' },
        message: expect.stringContaining('http)'),
      });
      expect(server.seen).toHaveLength(1);
      await expect(client.attachment(target, photoType)).rejects.toThrow('without encryption');
    }
    expect(other.seen).toEqual([]);
    server.play(plain(photo, 200, jpeg));
    expect((await client.attachment(url, photoType)).bytes).toEqual(photo);
  });

  it('follows five redirects, and not a sixth', async () => {
    const redirects = [301, 302, 303, 307, 308].map((status) => redirectTo('#', status));
    server.play(...redirects, plain(photo, 200, jpeg));
    expect((await download()).bytes).toEqual(photo);
    server.play(redirectTo('#'));
    expect((await catchProblem(download())).message).toContain('more than 5 redirects');
    expect(server.seen).toHaveLength(6);
  });

  it('does not connect to a listed name with an internal address unless the address is listed, too', async () => {
    const { port } = new URL(other.origin);
    other.play(plain(photo, 200, jpeg));
    server.play(redirectTo(`http://localhost:${port}/field.jpg`));
    const problem = await catchProblem(download(photoType, createClient({ fileHosts: [`localhost:${port}`] })));
    expect(problem.message).toMatch(/localhost:\d+ .*internal address.*sync\.fileHosts/);
    expect(other.seen).toEqual([]);
    const withAddresses = createClient({ fileHosts: [`localhost:${port}`, '127.0.0.0/8', '::1'] });
    expect((await download(photoType, withAddresses)).bytes).toEqual(photo);
  });
});

import { EventEmitter, once } from 'node:events';
import { createServer, get, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AddElements, RawJsonList } from './raw-json-list.ts';

type Read = (add: AddElements, signal: AbortSignal) => Promise<void>;

let read: Read;
/** What the server did with the last list. */
let sent: Promise<unknown>;
const server = createServer((_request, response) => {
  sent = new RawJsonList((add, signal) => read(add, signal))
    .open(response)
    .then((stream) => pipeline(stream, response))
    .catch((error: unknown) => {
      response.destroy();
      return error;
    });
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}/`;
});
beforeEach(() => {
  read = () => Promise.reject(new Error('no list'));
});
afterAll(() => server.close());

/** Requests the list without reading it. */
async function request(): Promise<IncomingMessage> {
  const sentRequest = get(url, { agent: false });
  const [response] = await once(sentRequest, 'response');
  return response;
}

const megabyte = JSON.stringify('x'.repeat(1_000_000));

it('sends the batches as one JSON list, whatever their sizes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.jsonValue(), { maxLength: 5 }), { maxLength: 5 }), async (batches) => {
      read = async (add) => {
        for (const batch of batches) await add(batch.map((element) => JSON.stringify(element)));
      };
      expect(await text(await request())).toBe(JSON.stringify(batches.flat()));
    }),
  );
});

it('reads only as far ahead as the client reads', async () => {
  let added = 0;
  const list = new RawJsonList(async (add) => {
    for (; added < 50; added += 1) await add([megabyte]);
  });
  const stream = await list.open(new ServerResponse(new IncomingMessage(new Socket())));
  let received = 0;
  for await (const chunk of stream) {
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    // One element is being received, one waits in the stream.
    expect(added).toBeLessThanOrEqual(received / 1_000_000 + 2);
    received += chunk.length;
  }
  expect(added).toBe(50);
});

it('throws an error of the beginning and sends nothing', async () => {
  const error = new Error('no connection');
  read = () => Promise.reject(error);
  await expect(request()).rejects.toThrow('socket hang up');
  expect(await sent).toBe(error);
});

it('cuts the response when reading fails later', async () => {
  const error = new Error('connection lost');
  read = async (add) => {
    await add([megabyte]);
    throw error;
  };
  await expect(text(await request())).rejects.toThrow('aborted');
  expect(await sent).toBe(error);
});

it('stops reading when the client disconnects in the middle', async () => {
  const stopped = new Promise((resolve) => {
    read = async (add) => {
      try {
        for (;;) await add([megabyte]);
      } catch (error) {
        resolve(error);
      }
    };
  });
  const response = await request();
  response.destroy();
  expect(await stopped).toMatchObject({ name: 'AbortError' });
});

it('stops reading when the client disconnects before the first element', async () => {
  const began = new EventEmitter();
  read = (_add, signal) => {
    began.emit('reading', signal);
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const reading = once(began, 'reading');
  const waiting = get(url, { agent: false });
  waiting.on('error', () => undefined);
  const [signal] = await reading;
  const aborted = once(signal, 'abort');
  waiting.destroy();
  await aborted;
  expect(await sent).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
});

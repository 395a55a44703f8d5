import type { Duplex } from 'node:stream';
import pg from 'pg';

/**
 * Less than the longest string that Node.js can hold (512 MiB): for a longer one, the driver throws
 * where no caller can catch it, which ends the process. PostgreSQL's own limit is 1 GB, for values
 * and for messages of errors, and the owner of an app decides what is in both.
 */
const maxResponseBytes = 500 * 1024 * 1024;

/**
 * A client that closes its connection before a response with more than 500 MiB is in memory. The
 * query fails as when the server closes the connection.
 */
export class LimitedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this;
    const attach: unknown = Reflect.get(connection, 'attachListeners');
    if (typeof attach !== 'function') throw new Error('The driver reads its connections in another way.');
    Object.assign(connection, {
      attachListeners(stream: Duplex) {
        limitResponses(stream);
        attach.call(connection, stream);
      },
    });
  }
}

/** Each message has a type, and its length, which counts itself. */
const headerBytes = 5;
const lengthBytes = 4;
const readyForQuery = 'Z'.charCodeAt(0);

function limitResponses(stream: Duplex): void {
  let responseBytes = 0;
  /** How much of the current message is still to come. */
  let left = 0;
  let partOfHeader: Buffer = Buffer.alloc(0);
  stream.on('data', (received: Buffer) => {
    const chunk = partOfHeader.length === 0 ? received : Buffer.concat([partOfHeader, received]);
    let at = Math.min(left, chunk.length);
    left -= at;
    while (chunk.length - at >= headerBytes) {
      const length = chunk.readUInt32BE(at + 1);
      responseBytes = chunk[at] === readyForQuery ? 0 : responseBytes + length;
      if (responseBytes > maxResponseBytes) {
        stream.destroy(new Error('Connection terminated because the response is too large'));
        return;
      }
      const end = at + headerBytes + length - lengthBytes;
      left = Math.max(0, end - chunk.length);
      at = Math.min(end, chunk.length);
    }
    partOfHeader = chunk.subarray(at);
  });
}

import type { HeliumLogRecord } from '@portal/platforms/helium/wire';

const textFrame = 0x81;
const shortHeaderBytes = 4;
const longHeaderBytes = 10;
/** UTF-8 needs at most three bytes per UTF-16 code unit. */
const bytesPerUnit = 3;

/**
 * Encodes one text frame per record into one buffer that all sockets share; a socket library would
 * frame and write each record per socket. Servers do not mask frames. A record always has at least
 * 126 bytes, so its length never fits in one byte.
 */
export function logFrames(records: readonly HeliumLogRecord[]): Buffer {
  const messages = records.map(toMessage);
  const capacity = messages.reduce((sum, text) => sum + longHeaderBytes + text.length * bytesPerUnit, 0);
  const buffer = Buffer.allocUnsafe(capacity);
  let end = 0;
  for (const text of messages) end = writeFrame(buffer, text, end);
  return buffer.subarray(0, end);
}

/** Encodes a text frame of fewer than 126 bytes, whatever they are. */
export function rawFrame(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([textFrame, content.length]), content]);
}

/** Built by hand because only two of the six fields can need escaping. */
function toMessage({ id, key, value, millis, appId, appUserId }: HeliumLogRecord): string {
  const user = appUserId === null ? 'null' : `"${appUserId}"`;
  return `{"id":"${id}","key":${JSON.stringify(key)},"value":${JSON.stringify(value)},"millis":${millis},"appId":"${appId}","appUserId":${user}}`;
}

function writeFrame(buffer: Buffer, text: string, at: number): number {
  const headerBytes =
    text.length * bytesPerUnit > 0xffff && Buffer.byteLength(text) > 0xffff ? longHeaderBytes : shortHeaderBytes;
  const length = buffer.write(text, at + headerBytes, 'utf8');
  buffer[at] = textFrame;
  if (headerBytes === shortHeaderBytes) {
    buffer[at + 1] = 126;
    buffer.writeUInt16BE(length, at + 2);
  } else {
    buffer[at + 1] = 127;
    buffer.writeBigUInt64BE(BigInt(length), at + 2);
  }
  return at + headerBytes + length;
}

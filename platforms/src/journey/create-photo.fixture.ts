import { randomBytes } from 'node:crypto';

/**
 * The start of a JPEG file, a thumbnail with an end mark of its own, and the header of the scan.
 */
const start = Buffer.from('ffd8ffe000104a46494600010100000100010000ffe10006ffd8ffd9ffda0008010100003f00', 'hex');
const endMark = Buffer.from('ffd9', 'hex');

/** Returns a different complete JPEG file of this many bytes each time; at least 50. */
export function createPhoto(size = 40_000): Buffer {
  const scan = randomBytes(size - start.length - endMark.length).map((byte) => Math.min(byte, 0xfe));
  return Buffer.concat([start, scan, endMark]);
}

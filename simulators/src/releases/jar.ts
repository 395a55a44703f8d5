import { crc32 } from 'node:zlib';

/** Creates a jar that contains only its manifest, as one stored ZIP entry. */
export function createJar(manifest: Readonly<Record<string, string>>): Buffer {
  const name = Buffer.from('META-INF/MANIFEST.MF');
  const lines = Object.entries({ 'Manifest-Version': '1.0', ...manifest }).map(
    ([key, value]) => `${key}: ${value}\r\n`,
  );
  const content = Buffer.from(`${lines.join('')}\r\n`);
  const about = fields(
    [2, 10], // needs ZIP 1.0
    [4, 0], // stored, no flags
    [4, 0x00210000], // 1 January 1980, so that the same version has the same bytes
    [4, crc32(content)],
    [4, content.length],
    [4, content.length],
    [2, name.length],
    [2, 0],
  );
  const entry = Buffer.concat([fields([4, 0x04034b50]), about, name, content]);
  const placement = fields([2, 0], [2, 0], [2, 0], [4, 0], [4, 0]);
  const directory = Buffer.concat([fields([4, 0x02014b50], [2, 10]), about, placement, name]);
  const end = fields([4, 0x06054b50], [4, 0], [2, 1], [2, 1], [4, directory.length], [4, entry.length], [2, 0]);
  return Buffer.concat([entry, directory, end]);
}

/** Writes numbers with the given number of bytes each, lowest byte first. */
function fields(...numbers: readonly (readonly [bytes: number, value: number])[]): Buffer {
  return Buffer.concat(
    numbers.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}

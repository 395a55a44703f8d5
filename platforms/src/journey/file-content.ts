/**
 * Distinguishes a file from what is sent in its place, such as a maintenance page or the first half
 * of the file. Recognizes files by their first bytes and by their end marks.
 */
// cspell:ignore cfmsx cmsx ftyp IEND

/** What the data model allows in a field. */
export interface FileType {
  readonly kind: 'photo' | 'signature' | 'attachment';
  /** The media type of an attachment, such as `application/pdf`, or `any`. Default: `any`. */
  readonly media?: string;
}

interface FileContent {
  readonly bytes: Uint8Array;
  /** As the server states it, in lower case and without parameters. */
  readonly mediaType: string;
}

/** Servers use these types, or none, when they do not know a file's type. */
const unknownTypes: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

export function isUnknownType(mediaType: string): boolean {
  return unknownTypes.has(mediaType);
}

/**
 * Returns why this cannot be a file of the field, as the end of a sentence that starts with who
 * sent it; undefined when it can be.
 */
export function findContentProblem({ kind, media = 'any' }: FileType, content: FileContent): string | undefined {
  const { bytes, mediaType } = content;
  if (bytes.length === 0) return 'an empty file';
  const allowed = kind === 'attachment' ? media.toLowerCase() : 'image/*';
  // `any`, or no media type at all.
  if (!allowed.includes('/')) return undefined;
  if (!isUnknownType(mediaType) && !fitsType(allowed, mediaType))
    return `a file of the type ${mediaType}, but the field takes ${allowed}`;
  if (allowed.startsWith('image/')) return isImage(content) ? undefined : 'a file that is not an image';
  if (allowed === 'application/pdf') return startsWith(bytes, '%PDF-') ? undefined : 'a file that is not a PDF';
  const document = findDocumentType(bytes);
  return document === undefined || allowed.includes(document)
    ? undefined
    : `a document in ${document.toUpperCase()}, but the field takes ${allowed}`;
}

function fitsType(allowed: string, mediaType: string): boolean {
  return allowed.endsWith('/*') ? mediaType.startsWith(allowed.slice(0, -1)) : mediaType === allowed;
}

/** Errors and maintenance pages come as one of these, whatever type the server states. */
function findDocumentType(bytes: Uint8Array): 'html' | 'xml' | 'json' | undefined {
  const start = readText(bytes, 0, 200).trimStart();
  if (/^<(!doctype html|html)/i.test(start)) return 'html';
  if (/^<\?xml|^<error/i.test(start)) return 'xml';
  return /^[{[]/.test(start) && isJson(bytes) ? 'json' : undefined;
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

function isImage({ bytes, mediaType }: FileContent): boolean {
  return findImageType(bytes) !== undefined || (mediaType === 'image/svg+xml' && isSvg(bytes));
}

/** Returns the media type of an image, except of an SVG; undefined when it is not an image. */
export function findImageType(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg';
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif';
  if (startsWith(bytes, 'RIFF') && readText(bytes, 8, 12) === 'WEBP') return 'image/webp';
  if (startsWith(bytes, 'II*\0') || startsWith(bytes, 'MM\0*')) return 'image/tiff';
  if (startsWith(bytes, 'BM')) return 'image/bmp';
  if (readText(bytes, 4, 8) !== 'ftyp') return undefined;
  const brand = readText(bytes, 8, 12);
  if (brand === 'avif' || brand === 'avis') return 'image/avif';
  return /^(hei[cfmsx]|hev[cmsx]|mif1|msf1)$/.test(brand) ? 'image/heic' : undefined;
}

/** Whether an SVG's root starts in the first bytes, after comments and a document type. */
function isSvg(bytes: Uint8Array): boolean {
  const start = readText(bytes, 0, 4_096).replace(/^\xef\xbb\xbf/, '');
  return /^\s*<[\s\S]*<svg[\s>]|^\s*<svg[\s>]/.test(start) && !/<html/i.test(start);
}

/**
 * Whether the file's own format shows that it is complete. False does not mean that it is cut off:
 * many formats have no end mark.
 */
export function hasEndMark(bytes: Uint8Array): boolean {
  if (findImageType(bytes) === 'image/jpeg') return findJpegEnd(bytes) === bytes.length;
  return endsWithMark({ start: bytes, end: bytes, size: bytes.length }) === true;
}

/** The parts of a file that show its format and its end. */
export interface FileParts {
  /** At least its first 12 bytes. */
  readonly start: Uint8Array;
  /** At least its last 16 bytes. */
  readonly end: Uint8Array;
  /** In bytes. */
  readonly size: number;
}

/**
 * Whether the last bytes of a file are the end mark of its format; undefined when the format has
 * none. A file without it is cut off, or something follows its end.
 */
export function endsWithMark({ start, end, size }: FileParts): boolean | undefined {
  const last = (length: number) => readText(end, Math.max(0, end.length - length), end.length);
  switch (findImageType(start)) {
    case 'image/jpeg':
      return last(2) === '\xff\xd9';
    case 'image/png':
      return last(12) === '\0\0\0\0IEND\xae\x42\x60\x82';
    case 'image/gif':
      // The last block of the image, and the trailer.
      return last(2) === '\0;';
    case 'image/webp':
      return 8 + Buffer.from(start.subarray(4, 8)).readUInt32LE() === size;
  }
  return startsWith(start, '%PDF-') ? last(16).trimEnd().endsWith('%%EOF') : undefined;
}

/**
 * Returns the position behind the end mark; undefined when there is none. Skips segments by their
 * length, because a thumbnail in one of them has an end mark of its own.
 */
function findJpegEnd(bytes: Uint8Array): number | undefined {
  let at = 2;
  while (at + 1 < bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return undefined;
    if (marker === 0xd9) return at + 2;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    at += 2 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0));
    if (marker === 0xda) at = findNextMarker(bytes, at);
  }
  return undefined;
}

/** Skips the data of a scan, with its stuffed bytes and restart markers. */
function findNextMarker(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at >= 0) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
    at = bytes.indexOf(0xff, at + 2);
  }
  return bytes.length;
}

function startsWith(bytes: Uint8Array, start: string): boolean {
  return readText(bytes, 0, start.length) === start;
}

/** One character per byte. */
function readText(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.subarray(from, to)).toString('latin1');
}

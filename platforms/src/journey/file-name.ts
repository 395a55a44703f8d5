/** Finds the name of a downloaded file in its response and its address. */

const maxNameLength = 255;

/** Returns undefined when neither has a name: an address without an extension is an id. */
export function findFileName(contentDisposition: string | undefined, url: string): string | undefined {
  return readDisposition(contentDisposition ?? '') ?? readAddress(url);
}

function readDisposition(header: string): string | undefined {
  const extended = /(?:^|;)\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1];
  if (extended !== undefined) return toName(decode(extended));
  const quoted = /(?:^|;)\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1];
  if (quoted !== undefined) return toName(quoted.replace(/\\(["\\])/g, '$1'));
  return toName(/(?:^|;)\s*filename\s*=\s*([^;\s"]+)/i.exec(header)?.[1] ?? '');
}

function readAddress(url: string): string | undefined {
  const name = toName(decode(new URL(url).pathname.split('/').at(-1) ?? ''));
  return name !== undefined && /\.\w+$/.test(name) ? name : undefined;
}

/** Returns the last segment of a path, without control characters. */
function toName(path: string): string | undefined {
  const name = (path.split(/[/\\]/).at(-1) ?? '').replace(/\p{Cc}/gu, '').trim();
  return name === '' || name === '.' || name === '..' ? undefined : name.slice(-maxNameLength);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

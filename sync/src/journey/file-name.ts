/** Journey states the media type of a file; its name is at most the last segment of its URL. */
const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/svg+xml': '.svg',
  'application/pdf': '.pdf',
  'text/plain': '.txt',
};

export function getFileName({ id, url }: { readonly id: string; readonly url: string }, mediaType: string): string {
  const last = new URL(url, 'https://journey.invalid').pathname.split('/').at(-1) ?? '';
  return /\.\w+$/.test(last) ? decodeSafely(last) : `${id}${extensions[mediaType] ?? ''}`;
}

function decodeSafely(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Names a file for which Journey states only an id and a media type. */
const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/svg+xml': '.svg',
  'application/pdf': '.pdf',
  'text/plain': '.txt',
};

export function createFileName(id: string, mediaType: string): string {
  return `${id}${extensions[mediaType] ?? ''}`;
}

/**
 * Returns the value of `content-disposition` with which a browser saves a response under this name,
 * in any alphabet (RFC 6266).
 */
export function toAttachment(fileName: string): string {
  const plain = fileName.replace(/[^\w. -]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

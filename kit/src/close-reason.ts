/** Maximum size of a WebSocket close reason, by the protocol. */
const maxReasonBytes = 123;

/** Returns the text, shortened to what a socket may be closed with. */
export function toCloseReason(text: string): string {
  // A character has at least one byte. Cut first: shortening a long text step by step takes
  // minutes.
  let reason = text.slice(0, maxReasonBytes + 1);
  while (Buffer.byteLength(reason) > maxReasonBytes) reason = `${reason.slice(0, -2).trimEnd()}…`;
  return reason;
}

/** Whether a direction's status says that it waits for a platform or for its next attempt. */
export function isWaiting(status: string): boolean {
  return status.startsWith('Waiting') || status.startsWith('Interrupted');
}

/** How the start of a service went. */
export type Start =
  | { readonly type: 'ready'; readonly address: string }
  /** In words for people. */
  | { readonly type: 'failed'; readonly reason: string };

/**
 * Tells how the start went: the process that forked this one, or people where there is none.
 *
 * @param what How the sentence begins: "The portal"
 */
export function reportStart(what: string, start: Start): Promise<void> {
  return new Promise((resolve) => {
    if (process.send) {
      process.send(start, () => resolve());
    } else {
      if (start.type === 'ready') console.log(`${what} is at ${start.address}`);
      else console.error(start.reason);
      resolve();
    }
  });
}

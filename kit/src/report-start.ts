/** The result of starting a service. */
export type StartResult =
  | { readonly type: 'ready'; readonly address: string }
  /** A message for operators. */
  | { readonly type: 'failed'; readonly reason: string };

/**
 * Reports the start to the parent process, or on the console if there is none.
 *
 * @param serviceName The subject of the message: "The portal"
 */
export function reportStart(serviceName: string, start: StartResult): Promise<void> {
  return new Promise((resolve) => {
    if (process.send) {
      process.send(start, () => resolve());
    } else {
      if (start.type === 'ready') console.log(`${serviceName} is at ${start.address}`);
      else console.error(start.reason);
      resolve();
    }
  });
}

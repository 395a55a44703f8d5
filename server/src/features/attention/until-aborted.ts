/**
 * What the work comes to, unless the signal ends the wait before: then it throws the signal's
 * reason.
 */
export function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stopWaiting = () => reject(signal.reason);
    if (signal.aborted) stopWaiting();
    signal.addEventListener('abort', stopWaiting, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stopWaiting));
  });
}

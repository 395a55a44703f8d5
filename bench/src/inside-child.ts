/** The child's side of child.ts. */

export function readChildArgument<Argument>(): Argument {
  return JSON.parse(process.argv[2] ?? 'null');
}

/** Reports that the child is ready, responds to requests, and exits with its parent. */
export function serveParent(ready: unknown, response: (request: unknown) => unknown = () => null): void {
  process.on('message', async (request) => process.send?.((await response(JSON.parse(String(request)))) ?? null));
  process.on('disconnect', () => process.exit(0));
  process.send?.(ready);
}

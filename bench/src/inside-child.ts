/** The child's side of child.ts. */

export function childArgument<Argument>(): Argument {
  return JSON.parse(process.argv[2] ?? 'null');
}

/** Says that the child can be used, answers what it is asked, and ends with its parent. */
export function serveParent(ready: unknown, answer: (request: unknown) => unknown = () => null): void {
  process.on('message', async (request) => process.send?.((await answer(JSON.parse(String(request)))) ?? null));
  process.on('disconnect', () => process.exit(0));
  process.send?.(ready);
}

/** Runs in the page. */
export function watchLongTasks(): void {
  const tasks: number[] = [];
  Object.assign(globalThis, { longTasks: tasks });
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
  });
}

/** Runs in the page. Returns milliseconds; 0 if there was no task of 50 ms or more. */
export function readLongestTask(): number {
  const tasks: unknown = Reflect.get(globalThis, 'longTasks');
  return Array.isArray(tasks) ? Math.max(0, ...tasks.map(Number)) : Number.NaN;
}

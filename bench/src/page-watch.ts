/** What the page has recorded since the last reset. */
export interface PageWatchResult {
  readonly ms: number;
  readonly frames: number;
  readonly framesBySecond: readonly number[];
  /** Tasks of 50 ms and more, in milliseconds. */
  readonly longTasks: readonly number[];
}

/**
 * Runs in the page before anything else: counts frames and long tasks, and times results on the
 * page's clock. It is sent as source text, so it must be self-contained.
 */
export function pageWatch(): void {
  let from = performance.now();
  let frames: number[] = [];
  let longTasks: number[] = [];
  const countFrames = (at: number) => {
    const second = Math.max(0, Math.floor((at - from) / 1000));
    while (frames.length <= second) frames.push(0);
    frames[second] = (frames[second] ?? 0) + 1;
    requestAnimationFrame(countFrames);
  };
  requestAnimationFrame(countFrames);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longTasks.push(entry.duration);
  }).observe({ type: 'longtask' });

  const painted = () =>
    new Promise<number>((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))));

  /**
   * Jumps to positions all over the log. Each jump ends when lines in the middle of the view are
   * painted.
   */
  const jump = async (times: number) => {
    const scroller = document.querySelector('.cm-scroller');
    if (!scroller) throw new Error('no log on the page');
    const took: number[] = [];
    for (let at = 0; at < times; at += 1) {
      const began = performance.now();
      // Steps of the golden ratio spread the positions over the whole log.
      scroller.scrollTop = (scroller.scrollHeight - scroller.clientHeight) * ((at * 0.618034) % 1);
      for (;;) {
        const now = await painted();
        const { left, top, height } = scroller.getBoundingClientRect();
        const seen = document.elementFromPoint(left + 120, top + height / 2);
        if (seen?.closest('.cm-line')?.textContent) {
          took.push(now - began);
          break;
        }
        if (now - began > 5000) throw new Error('nothing was drawn');
      }
    }
    return took;
  };

  /** Resolves when the result of the next input or click is on the page and painted. */
  const measureOutcome = (what: 'search' | 'shown') =>
    new Promise<{ ms: number; text: string }>((resolve) => {
      const outcome = () =>
        what === 'search'
          ? document.querySelector('#log-search-result')?.textContent
          : [...document.querySelectorAll('main span')].find((span) => / shown$/.test(span.textContent ?? ''))
              ?.textContent;
      const before = outcome() ?? '';
      const begin = ({ timeStamp }: Event) => {
        removeEventListener('input', begin, true);
        removeEventListener('click', begin, true);
        const checkOutcome = async () => {
          const now = await painted();
          const text = outcome() ?? '';
          const hasOutcome = what === 'search' ? /match/i.test(text) && text !== before : text !== before;
          if (hasOutcome) resolve({ ms: now - timeStamp, text });
          else void checkOutcome();
        };
        void checkOutcome();
      };
      addEventListener(what === 'search' ? 'input' : 'click', begin, true);
    });

  Object.assign(globalThis, {
    pageWatch: {
      jump,
      measureOutcome,
      reset() {
        from = performance.now();
        frames = [];
        longTasks = [];
      },
      read: () => ({
        ms: performance.now() - from,
        frames: frames.reduce((sum, one) => sum + one, 0),
        framesBySecond: frames.slice(0, -1),
        longTasks,
      }),
    },
  });
}

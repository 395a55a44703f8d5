import { LogSearch, type SearchAnswer, type SearchRequest } from './log-search.ts';

// A message channel comes back at once where a timer waits at least 4 ms; requests that wait are
// still heard first.
const turn = new MessageChannel();
let waiting: (() => void) | null = null;
turn.port1.onmessage = () => {
  const work = waiting;
  waiting = null;
  work?.();
};

const search = new LogSearch(
  (answer: SearchAnswer) =>
    self.postMessage(answer, {
      transfer: answer.type === 'judged' ? [answer.kept.buffer, answer.matches.buffer] : [],
    }),
  (work) => {
    waiting = work;
    turn.port2.postMessage(null);
  },
);

self.onmessage = (event: MessageEvent<SearchRequest>) => search.take(event.data);

import { LogSearch, type SearchRequest, type SearchResponse } from './log-search.ts';

// A message channel continues immediately, while a timer waits at least 4 ms. Waiting requests
// still run first.
const runWaiting = new MessageChannel();
let waiting: (() => void) | null = null;
runWaiting.port1.onmessage = () => {
  const work = waiting;
  waiting = null;
  work?.();
};

const search = new LogSearch(
  (respond: SearchResponse) =>
    self.postMessage(respond, {
      transfer: respond.type === 'result' ? [respond.keptRanges.buffer, respond.matches.buffer] : [],
    }),
  (work) => {
    waiting = work;
    runWaiting.port2.postMessage(null);
  },
);

self.onmessage = (event: MessageEvent<SearchRequest>) => search.handle(event.data);

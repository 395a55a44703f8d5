/** Generates log load far above that of a normal app. */
import type { LogFeed } from './log-feed.ts';

const tickMs = 10;
/**
 * Above this rate, and without a limit, lines go to the sockets only, so that the database is not
 * measured.
 */
const maxStoredLinesPerSecond = 20_000;
const eagerBatch = 500;

export interface Load {
  /** 0 means as fast as the sockets accept it; undefined stops it. */
  set(linesPerSecond: number | undefined): void;
  linesPerSecond(): number | undefined;
}

export function createLoad(feed: LogFeed): Load {
  let rate: number | undefined;
  let stop: () => void = () => undefined;
  let counter = 0;
  const lines = (count: number) => Array.from({ length: count }, () => loadLine(counter++));
  return {
    linesPerSecond: () => rate,
    set(linesPerSecond) {
      stop();
      rate = linesPerSecond;
      if (rate === undefined) return;
      stop = rate === 0 ? runEagerly(feed, lines) : runAtRate(feed, lines, rate);
    },
  };
}

type Lines = (count: number) => { key: string; value: string }[];

function runAtRate(feed: LogFeed, lines: Lines, rate: number): () => void {
  const keep = rate <= maxStoredLinesPerSecond;
  const startedMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) * rate) / 1000) - sent;
    sent += due;
    // After a long stall, missed lines are not made up for.
    feed.emit(lines(Math.min(due, rate)), { keep });
  }, tickMs);
  return () => clearInterval(timer);
}

function runEagerly(feed: LogFeed, lines: Lines): () => void {
  let running = true;
  const turn = () => {
    if (!running) return;
    const eager = feed.isEager();
    if (eager) feed.emit(lines(eagerBatch), { keep: false });
    if (eager) setImmediate(turn);
    else setTimeout(turn, 1);
  };
  turn();
  return () => {
    running = false;
  };
}

const levels = ['INFO', 'INFO', 'INFO', 'INFO', 'INFO', 'INFO', 'INFO', 'WARNING', 'INFO', 'SEVERE'];
const subjects = [
  'Stock count received from',
  'Synchronized visit of',
  'Delivery note printed for',
  'Reminder queued for',
  'Price list sent to',
];
const locations = [
  'Chipata Clinic',
  'Mongu Depot',
  'Kabwe Hospital',
  'Soweto Pharmacy',
  'Polokwane Store',
  'Solwezi Health Post',
  'Upington Farm',
];

/** Creates lines with consecutive numbers from 0, so that readers can detect missing ones. */
function loadLine(counter: number): { key: string; value: string } {
  const key = levels[counter % levels.length] ?? 'INFO';
  const subject = subjects[counter % subjects.length];
  const location = locations[(counter * 3) % locations.length];
  return {
    key,
    value: `${subject} ${location}: record ${counter}, ${(counter * 7919) % 1000} items in ${(counter * 31) % 250} ms`,
  };
}

/** The switch that makes an app log as busily as no app should. */
import type { LogFeed } from './log-feed.ts';

const TICK_MS = 10;
/** Beyond this, and without a limit, lines go to the sockets alone: the database is not what is measured then. */
const KEPT_LINES_PER_SECOND_MAX = 20_000;
const EAGER_BATCH = 500;

export interface Load {
  /** 0 is as fast as the sockets take it; undefined ends it. */
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
  const keep = rate <= KEPT_LINES_PER_SECOND_MAX;
  const began = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) * rate) / 1000) - sent;
    sent += due;
    // After a long stall not everything at once: the rate is kept from here on.
    feed.emit(lines(Math.min(due, rate)), { keep });
  }, TICK_MS);
  return () => clearInterval(timer);
}

function runEagerly(feed: LogFeed, lines: Lines): () => void {
  let running = true;
  const turn = () => {
    if (!running) return;
    const eager = feed.isEager();
    if (eager) feed.emit(lines(EAGER_BATCH), { keep: false });
    if (eager) setImmediate(turn);
    else setTimeout(turn, 1);
  };
  turn();
  return () => {
    running = false;
  };
}

const LEVELS = ['INFO', 'INFO', 'INFO', 'INFO', 'INFO', 'INFO', 'INFO', 'WARNING', 'INFO', 'SEVERE'];
const SUBJECTS = [
  'Stock count received from',
  'Synchronised visit of',
  'Delivery note printed for',
  'Reminder queued for',
  'Price list sent to',
];
const PLACES = [
  'Chipata Clinic',
  'Mongu Depot',
  'Kabwe Hospital',
  'Soweto Pharmacy',
  'Polokwane Store',
  'Solwezi Health Post',
  'Upington Farm',
];

/** Numbered from 0 without a gap, so that whoever reads can tell whether one is missing. */
function loadLine(counter: number): { key: string; value: string } {
  const key = LEVELS[counter % LEVELS.length] ?? 'INFO';
  const subject = SUBJECTS[counter % SUBJECTS.length];
  const place = PLACES[(counter * 3) % PLACES.length];
  return {
    key,
    value: `${subject} ${place}: record ${counter}, ${(counter * 7919) % 1000} items in ${(counter * 31) % 250} ms`,
  };
}

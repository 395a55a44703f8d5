/**
 * When the session ends. Only the server knows: another tab may have extended it. The page reports
 * when a person last used it, and asks before it warns.
 */
import { type Lifetime, reportUse } from '@portal/contract/session';
import { announceSessionEnd, call } from '../api/call.ts';
import { createStore } from '../state/store.ts';
import { onUserActivity } from './user-activity.ts';

/** How often use is reported, and how long before the end the page warns. */
const reportEveryMs = 60_000;
const warnMs = 120_000;
const checkEveryMs = 5_000;

export interface SessionEnd {
  /** By the browser's clock, in epoch milliseconds. */
  readonly atMs: number;
  /** Whether a person can extend the session. */
  readonly canExtend: boolean;
}

/** Set while the page warns. */
export const sessionWarning = createStore<SessionEnd | null>(null);

let end: SessionEnd = { atMs: Number.POSITIVE_INFINITY, canExtend: true };
let usedAtMs: number | null = null;
let askedAtMs = 0;
let asking: Promise<boolean> | null = null;

/** Notifies the other tabs of this browser, which share the session. */
const otherTabs = new BroadcastChannel('portal.session-end');

/** Stores what the server says about the end of the session. */
export function noteLifetime({ secondsLeft, canExtend }: Lifetime, sentAtMs = Date.now()): void {
  setEnd({ atMs: sentAtMs + secondsLeft * 1000, canExtend });
}

function setEnd(next: SessionEnd): void {
  end = next;
  sessionWarning.set(end.atMs - Date.now() <= warnMs ? end : null);
}

/**
 * Reports use, warns before the end of the session, and ends it on this page, as long as the
 * returned function is not called.
 */
export function followLifetime(): () => void {
  usedAtMs = null;
  askedAtMs = Date.now();
  otherTabs.onmessage = ({ data }) => isSessionEnd(data) && setEnd(data);
  const stopListening = onUserActivity(() => {
    // While the page warns, only the answer counts. Moving to its button would close it otherwise.
    if (sessionWarning.get() === null) usedAtMs = Date.now();
  });
  const timer = setInterval(() => void check(), checkEveryMs);
  return () => {
    clearInterval(timer);
    stopListening();
    otherTabs.onmessage = null;
    sessionWarning.set(null);
  };
}

/** Extends the session. Returns false if the portal could not be asked. */
export function stay(): Promise<boolean> {
  usedAtMs = Date.now();
  return ask();
}

/** Compares with the clock each time, because timers stop while a computer sleeps. */
async function check(): Promise<void> {
  const nowMs = Date.now();
  const isReportDue = usedAtMs !== null && usedAtMs > askedAtMs && nowMs - askedAtMs >= reportEveryMs;
  const isOver = nowMs >= end.atMs;
  const isWarningDue = sessionWarning.get() === null && nowMs >= end.atMs - warnMs;
  if (!isReportDue && !isOver && !isWarningDue) return;
  if (await ask()) return;
  // An unattended screen must not show data only because the portal is unreachable.
  if (isOver) announceSessionEnd();
  else if (isWarningDue) sessionWarning.set(end);
}

/** Reports use and reads the end of the session. Returns false without a response. */
function ask(): Promise<boolean> {
  asking ??= sendUse().finally(() => {
    asking = null;
  });
  return asking;
}

async function sendUse(): Promise<boolean> {
  const sentAtMs = Date.now();
  const secondsAgo = usedAtMs === null ? undefined : Math.max(0, sentAtMs - usedAtMs) / 1000;
  try {
    const lifetime = await call(reportUse, { secondsAgo });
    askedAtMs = sentAtMs;
    if (lifetime.secondsLeft <= 0) {
      announceSessionEnd();
      return true;
    }
    noteLifetime(lifetime, sentAtMs);
    otherTabs.postMessage(end);
    return true;
  } catch {
    return false;
  }
}

function isSessionEnd(data: unknown): data is SessionEnd {
  return typeof data === 'object' && data !== null && 'atMs' in data && 'canExtend' in data;
}

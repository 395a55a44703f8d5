import { CallProblem } from '../lib/call-problem.ts';
import { createStore } from '../lib/store.ts';
import { describeProblem } from './describe-problem.ts';

export interface Popup {
  readonly id: number;
  readonly tone: 'success' | 'danger';
  readonly title: string;
  readonly text: string;
  readonly requestId: string | null;
  readonly copyText: string | null;
  /** How often the same thing was said while this stood. */
  readonly times: number;
  /** null: stays until dismissed */
  readonly durationMs: number | null;
}

export const popupState = createStore<readonly Popup[]>([]);

let nextId = 1;

const shortMs = 3000;
const longMs = 5000;
/** What is longer than a line of a popup takes longer to read. */
const longChars = 45;

/** Says that something worked, and goes by itself. */
export function showSuccess(title: string, text: string): void {
  const durationMs = text.length > longChars ? longMs : shortMs;
  show({ tone: 'success', title, text, requestId: null, copyText: null, durationMs });
}

/**
 * Says that something failed, until it is dismissed. The same problem again is counted, not piled
 * up.
 */
export function showProblem(title: string, problem: unknown): void {
  if (problem instanceof DOMException && problem.name === 'AbortError') return;
  // The sign-in says that the session has ended; to who has signed in again it is no news.
  if (problem instanceof CallProblem && problem.status === 401) return;
  const { message, requestId, copyText } = describeProblem(problem, title);
  show({ tone: 'danger', title, text: message, requestId, copyText, durationMs: null });
}

export function dismissPopup(id: number): void {
  popupState.set(popupState.get().filter((popup) => popup.id !== id));
}

export function dismissAllPopups(): void {
  popupState.set([]);
}

function show(popup: Omit<Popup, 'id' | 'times'>): void {
  const all = popupState.get();
  const same = all.find((one) => one.title === popup.title && one.text === popup.text && one.tone === popup.tone);
  const others = all.filter((one) => one !== same);
  popupState.set([...others, { ...popup, id: nextId++, times: (same?.times ?? 0) + 1 }]);
}

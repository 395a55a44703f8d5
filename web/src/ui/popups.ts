import { CallProblem } from '../api/call-problem.ts';
import { createStore, useStore } from '../state/store.ts';
import { describeProblem } from './describe-problem.ts';
import { replaceHidden } from './hidden-characters.ts';

export interface Popup {
  readonly id: number;
  readonly tone: 'success' | 'danger';
  readonly title: string;
  readonly text: string;
  readonly requestId: string | null;
  readonly copyText: string | null;
  /** What the user can do about it. */
  readonly action: PopupAction | null;
  /** How often the same message was shown while this popup was open. */
  readonly count: number;
  /** null: stays until dismissed */
  readonly durationMs: number | null;
}

export interface PopupAction {
  /** A verb: "Undo". */
  readonly label: string;
  /** The popup closes with the press. */
  readonly run: () => void;
}

export const popupState = createStore<readonly Popup[]>([]);

/** The titles of the problems that popups have shown. */
const shownTitles = new WeakMap<object, string>();

let nextId = 1;

const shortPopupMs = 3000;
const longPopupMs = 5000;
/** Enough to read the message and reach its button. */
const actionPopupMs = 12_000;
/** Longer texts stay for `longPopupMs`. */
const maxShortChars = 45;

/** Shows a success message that hides automatically, later if it has an action. */
export function showSuccess(title: string, text: string, action: PopupAction | null = null): void {
  const durationMs = action ? actionPopupMs : text.length > maxShortChars ? longPopupMs : shortPopupMs;
  show({ tone: 'success', title, text, requestId: null, copyText: null, action, durationMs });
}

/**
 * Shows a problem until it is dismissed. A repeated problem is counted instead of added. Returns
 * the id of the popup; null if there is none.
 */
export function showProblem(title: string, problem: unknown): number | null {
  if (problem instanceof DOMException && problem.name === 'AbortError') return null;
  // The sign-in page already reports an ended session.
  if (problem instanceof CallProblem && problem.status === 401) return null;
  if (problem instanceof Error) shownTitles.set(problem, title);
  const { message, requestId, copyText } = describeProblem(problem, title);
  return show({ tone: 'danger', title, text: message, requestId, copyText, action: null, durationMs: null });
}

/**
 * Returns the title under which a popup has shown this problem, also after it was dismissed;
 * otherwise null.
 */
export function usePopupTitle(problem: unknown): string | null {
  // The popup may appear later than what else shows the problem.
  useStore(popupState);
  return problem instanceof Error ? (shownTitles.get(problem) ?? null) : null;
}

export function dismissPopup(id: number): void {
  popupState.set(popupState.get().filter((popup) => popup.id !== id));
}

export function dismissAllPopups(): void {
  popupState.set([]);
}

function show(shown: Omit<Popup, 'id' | 'count'>): number {
  // A name in the text could deceive. Line breaks are drawn as such.
  const popup = { ...shown, text: shown.text.split('\n').map(replaceHidden).join('\n') };
  const all = popupState.get();
  const duplicate = all.find((one) => one.title === popup.title && one.text === popup.text && one.tone === popup.tone);
  const others = all.filter((one) => one !== duplicate);
  const id = nextId++;
  popupState.set([...others, { ...popup, id, count: (duplicate?.count ?? 0) + 1 }]);
  return id;
}

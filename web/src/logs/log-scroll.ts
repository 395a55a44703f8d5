import { EditorView } from '@codemirror/view';

const endMarginPx = 4;
const sideMarginPx = 80;

/** The effect costs half the dropped frames of setting `scrollTop` by oneself. */
export function scrollTo(position: number, y: 'start' | 'end' | 'center') {
  return EditorView.scrollIntoView(position, { y });
}

/**
 * In place of CodeMirror's own way to scroll, which moves the page around the view too. Sideways
 * for 'center' only.
 */
export function scrollWithin(view: EditorView, position: number, y: string): void {
  const place = rectAt(view, position);
  if (place === null) return;
  const { scrollDOM } = view;
  const box = scrollDOM.getBoundingClientRect();
  const { clientWidth, clientHeight } = scrollDOM;
  if (y === 'start') scrollDOM.scrollTop += place.line.top - box.top;
  else if (y === 'end') scrollDOM.scrollTop += place.line.bottom + endMarginPx - (box.top + clientHeight);
  else {
    const { left, top, bottom } = place.spot;
    scrollDOM.scrollTop += (top + bottom - clientHeight) / 2 - box.top;
    const isAside = left < box.left || left > box.left + clientWidth - sideMarginPx;
    if (isAside) scrollDOM.scrollLeft += left - box.left - clientWidth / 2;
  }
}

/**
 * Where a line, and a spot in it, are on the screen; read from the elements, since the view is
 * being measured just now.
 */
function rectAt(view: EditorView, position: number): { line: DOMRect; spot: DOMRect } | null {
  const { node, offset } = view.domAtPos(position);
  const element = node instanceof Element ? node : node.parentElement;
  const line = element?.closest('.cm-line')?.getBoundingClientRect();
  if (line === undefined) return null;
  const range = document.createRange();
  range.setStart(node, offset);
  return { line, spot: range.getClientRects()[0] ?? line };
}

/** What only a person causes. Focus, scrolling and visibility also change without anyone. */
const types = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'touchmove'] as const;

/** Calls the listener whenever a person uses the page. Returns a function that stops. */
export function onUserActivity(listener: () => void): () => void {
  let pointer: string | null = null;
  /** Browsers may repeat a move when what is below a still pointer changes. */
  const isMove = ({ screenX, screenY }: PointerEvent) => {
    const before = pointer;
    pointer = `${screenX} ${screenY}`;
    // The first one only shows where the pointer is.
    return before !== null && before !== pointer;
  };
  const handle = (event: Event) => {
    // Scripts dispatch events too, and something may lie on a key.
    if (!event.isTrusted || (event instanceof KeyboardEvent && event.repeat)) return;
    if (event.type === 'pointermove' && !(event instanceof PointerEvent && isMove(event))) return;
    listener();
  };
  for (const type of types) window.addEventListener(type, handle, { capture: true, passive: true });
  return () => {
    for (const type of types) window.removeEventListener(type, handle, { capture: true });
  };
}

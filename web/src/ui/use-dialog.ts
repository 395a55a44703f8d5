import { useCallback, useState } from 'react';

/**
 * Whether a dialog is open, and what it is about, which stays the same while the dialog closes.
 * Both functions are stable.
 *
 * @param initial what it is about until it is opened
 */
export function useDialog<T>(initial: T) {
  const [subject, setSubject] = useState(initial);
  const [opened, setOpened] = useState(false);
  const open = useCallback((next: T) => {
    setSubject(() => next);
    setOpened(true);
  }, []);
  const onClose = useCallback(() => setOpened(false), []);
  /** `frame` has the properties of the dialog. */
  return { subject, open, frame: { opened, onClose } };
}

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { logLevels, timestampModes } from '../../logs/text/log-format.ts';
import type { LogChoices } from '../../logs/view/log-choices.ts';
import { useIsNarrow } from '../../logs/view/use-is-narrow.ts';
import type { Address } from '../../state/address.ts';
import { useAddress } from '../../state/use-address.ts';

/** The parameter name of each on/off setting. */
const switches = { isRegExp: 'regex', matchCase: 'case' } as const;

/**
 * Reads the log view settings from the address, so that a shared link shows the same view. Without
 * a setting, lines are wrapped where the window is narrow.
 */
export function readLogsAddress(address: Address, isNarrow: boolean): LogChoices {
  const levels = address.levels === undefined ? null : address.levels.split(',');
  const timestamps = timestampModes.find((mode) => mode === address.time);
  return {
    levels: levels && logLevels.filter((level) => levels.includes(level)),
    find: address.find ?? '',
    isRegExp: address.regex === '1',
    matchCase: address.case === '1',
    mode: address.mode === 'filter' ? 'filter' : 'highlight',
    field: address.field === undefined ? null : { name: address.field, value: address.value ?? '' },
    wrap: address.wrap === undefined ? isNarrow : address.wrap === '1',
    timestamps: timestamps ?? 'local',
  };
}

/** Writes the log view settings to the address. Omits defaults. */
export function writeLogsAddress(address: Address, choices: LogChoices, isNarrow: boolean): Address {
  const parts: Record<string, string> = {
    levels: choices.levels?.join(',') ?? '',
    find: choices.find,
    mode: choices.mode === 'filter' ? 'filter' : '',
    field: choices.field?.name ?? '',
    value: choices.field?.value ?? '',
    wrap: choices.wrap === isNarrow ? '' : String(Number(choices.wrap)),
    time: choices.timestamps === 'local' ? '' : choices.timestamps,
  };
  for (const [name, key] of Object.entries(switches)) {
    parts[key] = choices[name as keyof typeof switches] ? '1' : '';
  }
  const next: Record<string, string> = { ...address };
  for (const [key, text] of Object.entries(parts)) {
    // An empty selection of levels is a choice of its own, different from the default.
    if (text === '' && !(key === 'levels' && choices.levels !== null)) delete next[key];
    else next[key] = text;
  }
  return next;
}

const addressDelayMs = 250;

/**
 * Returns the current view settings and a function that changes some of them. Changes apply
 * immediately and are written to the address once typing stops.
 */
export function useLogChoices(): [LogChoices, (change: Partial<LogChoices>) => void] {
  const [address, changeAddress] = useAddress();
  const isNarrow = useIsNarrow();
  const fromAddress = useMemo(() => readLogsAddress(address, isNarrow), [address, isNarrow]);
  const [choices, setChoices] = useState(fromAddress);
  // An external address change (a link, the back button) replaces what was typed.
  const lastWritten = useRef(JSON.stringify(fromAddress));
  const addressJson = JSON.stringify(fromAddress);
  if (addressJson !== lastWritten.current) {
    lastWritten.current = addressJson;
    setChoices(fromAddress);
  }
  useEffect(() => {
    if (JSON.stringify(choices) === lastWritten.current) return;
    const timer = setTimeout(() => {
      lastWritten.current = JSON.stringify(choices);
      changeAddress((current) => writeLogsAddress(current, choices, isNarrow));
    }, addressDelayMs);
    return () => clearTimeout(timer);
  }, [choices, changeAddress, isNarrow]);
  const change = useCallback((part: Partial<LogChoices>) => setChoices((current) => ({ ...current, ...part })), []);
  return [choices, change];
}

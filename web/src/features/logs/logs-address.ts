import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Address } from '../../lib/address.ts';
import { useAddress } from '../../lib/use-address.ts';
import type { LogChoices } from '../../logs/log-choices.ts';
import { logLevels, timestampModes } from '../../logs/log-format.ts';

/** How the log is looked at stands in the address, so that a link shows what I see. */
const switches = { isRegExp: 'regex', matchCase: 'case', wrap: 'wrap' } as const;

export function readLogsAddress(address: Address): LogChoices {
  const levels = address.levels === undefined ? null : address.levels.split(',');
  const timestamps = timestampModes.find((mode) => mode === address.time);
  return {
    levels: levels && logLevels.filter((level) => levels.includes(level)),
    find: address.find ?? '',
    isRegExp: address.regex === '1',
    matchCase: address.case === '1',
    mode: address.mode === 'filter' ? 'filter' : 'highlight',
    wrap: address.wrap === '1',
    timestamps: timestamps ?? 'local',
  };
}

/** What is as by default is left out. */
export function writeLogsAddress(address: Address, choices: LogChoices): Address {
  const parts: Record<string, string> = {
    levels: choices.levels?.join(',') ?? '',
    find: choices.find,
    mode: choices.mode === 'filter' ? 'filter' : '',
    time: choices.timestamps === 'local' ? '' : choices.timestamps,
  };
  for (const [name, key] of Object.entries(switches)) {
    parts[key] = choices[name as keyof typeof switches] ? '1' : '';
  }
  const next: Record<string, string> = { ...address };
  for (const [key, text] of Object.entries(parts)) {
    // No level at all is a choice too, and not the default.
    if (text === '' && !(key === 'levels' && choices.levels !== null)) delete next[key];
    else next[key] = text;
  }
  return next;
}

const addressDelayMs = 250;

/**
 * The choices in force, and a way to change some: they hold at once and reach the address when the
 * typing rests.
 */
export function useLogChoices(): [LogChoices, (change: Partial<LogChoices>) => void] {
  const [address, changeAddress] = useAddress();
  const inAddress = useMemo(() => readLogsAddress(address), [address]);
  const [choices, setChoices] = useState(inAddress);
  // An address that changes by itself (a link, the back button) wins over what was typed.
  const written = useRef(JSON.stringify(inAddress));
  const arrived = JSON.stringify(inAddress);
  if (arrived !== written.current) {
    written.current = arrived;
    setChoices(inAddress);
  }
  useEffect(() => {
    if (JSON.stringify(choices) === written.current) return;
    const timer = setTimeout(() => {
      written.current = JSON.stringify(choices);
      changeAddress((current) => writeLogsAddress(current, choices));
    }, addressDelayMs);
    return () => clearTimeout(timer);
  }, [choices, changeAddress]);
  const change = useCallback((part: Partial<LogChoices>) => setChoices((current) => ({ ...current, ...part })), []);
  return [choices, change];
}

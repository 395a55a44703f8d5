import { useCallback } from 'react';
import { useAddress } from '../../state/use-address.ts';

/**
 * The choices of the page in the address, so that a link shows the same form. null: not selected.
 */
interface AccessChoices {
  readonly mode: 'migrate' | 'generate';
  readonly team: string | null;
  readonly source: string | null;
  readonly schema: string | null;
  /** Shows current access only. */
  readonly isCurrentOnly: boolean;
  /** The grant whose receipt is open. */
  readonly grant: string | null;
}

export function readAccessChoices(address: Readonly<Record<string, string>>): AccessChoices {
  return {
    mode: address.mode === 'generate' ? 'generate' : 'migrate',
    team: address.team || null,
    source: address.source || null,
    schema: address.schema || null,
    isCurrentOnly: address.access === 'now',
    grant: address.grant || null,
  };
}

/** Writes the choices to the address. Omits defaults and preserves parameters of others. */
export function writeAccessChoices(
  address: Readonly<Record<string, string>>,
  choices: AccessChoices,
): Record<string, string> {
  const {
    mode: _mode,
    team: _team,
    source: _source,
    schema: _schema,
    access: _access,
    grant: _grant,
    ...rest
  } = address;
  const { mode, team, source, schema, isCurrentOnly, grant } = choices;
  return {
    ...rest,
    ...(mode === 'generate' && { mode }),
    ...(team && { team }),
    ...(source && { source }),
    ...(schema && { schema }),
    ...(isCurrentOnly && { access: 'now' }),
    ...(grant && { grant }),
  };
}

export function useAccessChoices(): [AccessChoices, (next: Partial<AccessChoices>) => void] {
  const [address, changeAddress] = useAddress();
  const change = useCallback(
    (next: Partial<AccessChoices>) =>
      changeAddress((current) => writeAccessChoices(current, { ...readAccessChoices(current), ...next })),
    [changeAddress],
  );
  return [readAccessChoices(address), change];
}

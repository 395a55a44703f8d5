import type { AccessGrant } from '@portal/contract/schema-access';
import { useState } from 'react';
import { useSession } from '../../session/use-session.ts';
import type { AccessResult } from './grants/access-result.ts';
import { type AccessAct, type AccessTarget, grantOf, revertOf } from './plan/access-act.ts';

/** What is being asked about in the plan dialog, and what came of it last. */
export function useAccessDesk() {
  const { session } = useSession();
  const environment = session.environment.name;
  // A dialog that closes keeps what it shows until it is gone.
  const [act, setAct] = useState<AccessAct | null>(null);
  const [opened, setOpened] = useState(false);
  const [result, setResult] = useState<AccessResult | null>(null);
  const ask = (next: AccessAct) => {
    setAct(next);
    setOpened(true);
  };
  return {
    askToGrant: (team: string, target: AccessTarget) => ask(grantOf(environment, team, target)),
    askToRevert: (grant: AccessGrant) => ask(revertOf(environment, grant)),
    dialog: {
      act,
      opened,
      onClose: () => setOpened(false),
      onEnd: (end: AccessResult) => {
        setOpened(false);
        setResult(end);
      },
    },
    result,
    show: setResult,
    dismiss: () => setResult(null),
  };
}

import type { AccessGrant } from '@portal/contract/schema-access';
import { useState } from 'react';
import { createKept, useKeptState } from '../../session/use-kept-state.ts';
import { useSession } from '../../session/use-session.ts';
import type { AccessResult } from './grants/access-result.ts';
import {
  type AccessRequest,
  type AccessTarget,
  createGrantRequest,
  createRevertRequest,
} from './plan/access-request.ts';

const keptRequest = createKept<AccessRequest | null>();
const keptOpened = createKept<boolean>();

/** Manages the plan dialog: its current request and the last result. */
export function useAccessDialogs() {
  const { session } = useSession();
  const environment = session.environment.name;
  // Keeps its content until the dialog has closed.
  const [request, setRequest] = useKeptState(keptRequest, '', () => null);
  const [opened, setOpened] = useKeptState(keptOpened, '', () => false);
  const [result, setResult] = useState<AccessResult | null>(null);
  const openDialog = (next: AccessRequest) => {
    setRequest(next);
    setOpened(true);
  };
  return {
    openGrant: (team: string, target: AccessTarget) => openDialog(createGrantRequest(environment, team, target)),
    openRevert: (grant: AccessGrant) => openDialog(createRevertRequest(environment, grant)),
    dialog: {
      request,
      opened,
      onClose: () => setOpened(false),
      onEnd: (outcome: AccessResult) => {
        setOpened(false);
        setResult(outcome);
      },
    },
    result,
    show: setResult,
    dismiss: () => setResult(null),
  };
}

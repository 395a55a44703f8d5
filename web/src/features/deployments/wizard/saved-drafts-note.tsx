import { useState } from 'react';
import { useSession } from '../../../session/use-session.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from '../deployments.module.css';
import { parsePurpose, type WizardPurpose } from '../deployments-address.ts';
import { deleteDraft, getDraftsKey, readDrafts } from './saved-drafts.ts';

const purposeLabels = { new: 'a new schedule', update: 'an update', clone: 'a clone' } as const;

/** Lists unsaved drafts to continue or discard. Rendered only while the wizard is closed. */
export function SavedDraftsNote({ onContinue }: { onContinue: (purpose: WizardPurpose) => void }) {
  const { session } = useSession();
  const key = getDraftsKey(session);
  const [drafts, setDrafts] = useState(() => readDrafts(key));
  return Object.entries(drafts).map(([text, { fields, changedAt }]) => {
    const purpose = parsePurpose(text);
    return (
      purpose && (
        <p key={text} className={styles.draftNote} role="note">
          <span>
            Unsaved draft of {purposeLabels[purpose.kind]}
            {fields.releaseName.trim() === '' ? '' : `: ${fields.releaseName.trim()}`}, <RelativeTime at={changedAt} />
          </span>
          <button type="button" className="plain-link" onClick={() => onContinue(purpose)}>
            Continue
          </button>
          <button
            type="button"
            className="plain-link"
            onClick={() => {
              deleteDraft(key, text);
              setDrafts(readDrafts(key));
            }}
          >
            Discard
          </button>
        </p>
      )
    );
  });
}

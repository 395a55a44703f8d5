import { syncTexts } from '@portal/contract/sync-texts';
import { Link } from '@tanstack/react-router';
import styles from '../sync-form.module.css';

/** Somebody else has created an integration of the app while the form of a new one was open. */
export function TakenNote({ appId }: { appId: string }) {
  return (
    <div className={styles.stale} role="alert">
      <span>{syncTexts.alreadyThere(appId)}. What you have filled in is still here, and cannot be saved over it.</span>
      <Link to="/sync/form/{-$appid}" params={{ appid: appId }}>
        Edit it
      </Link>
    </div>
  );
}

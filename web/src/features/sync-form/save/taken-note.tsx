import { syncTexts } from '@portal/contract/sync/texts';
import { Link } from '@tanstack/react-router';
import styles from '../sync-form.module.css';

/** Reports that another user has created an integration for the app while this form was open. */
export function TakenNote({ appId }: { appId: string }) {
  return (
    <div className={styles.stale} role="alert">
      <span>{syncTexts.alreadyThere(appId)}. Your values are still here, but cannot be saved over it.</span>
      <Link to="/sync/form/{-$appid}" params={{ appid: appId }}>
        Edit the existing one
      </Link>
    </div>
  );
}

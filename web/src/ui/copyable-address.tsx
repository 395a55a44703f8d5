import { CopyButton } from './copyable.tsx';
import styles from './copyable-address.module.css';
import { BreakableWord } from './long-words.tsx';

/**
 * Shows where an address leads: host and port, then as much of its path as two lines have room for.
 * The whole address is shown on hover, and has a copy button.
 */
export function CopyableAddress({ address }: { address: string }) {
  const { host, path } = splitAddress(address);
  return (
    <span className={styles.root} title={address}>
      <span className={styles.place}>
        <BreakableWord text={host} />
        <span className={styles.path}>
          <BreakableWord text={path} />
        </span>
      </span>
      <CopyButton value={address} label={`Copy ${address}`} />
    </span>
  );
}

/** Without the scheme; the host has its port. */
function splitAddress(address: string): { host: string; path: string } {
  const place = address.slice(address.indexOf('//') + 2);
  const end = place.search(/[/?#]/);
  return end < 0
    ? { host: place, path: '' }
    : { host: place.slice(0, end), path: place.slice(end).replace(/^\/$/, '') };
}

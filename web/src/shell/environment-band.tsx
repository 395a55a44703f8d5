import { type Environment, isProduction } from '@portal/contract/environments';
import type { CSSProperties } from 'react';
import styles from './environment-band.module.css';

/**
 * The environment's colour and name over every screen. Production is filled and cannot be
 * overlooked.
 */
export function EnvironmentBand({ environment }: { environment: Environment }) {
  const color = (shade: number) => `var(--mantine-color-${environment.color}-${shade}, var(--ink-2))`;
  const style = { '--band': color(9), '--band-mid': color(6), '--band-light': color(2) } as CSSProperties;
  return (
    <div
      className={styles.band}
      data-production={isProduction(environment.name) || undefined}
      style={style}
      role="note"
      aria-label="Environment"
    >
      {environment.name}
    </div>
  );
}

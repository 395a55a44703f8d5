import { type Environment, isProduction } from '@portal/contract/environments';
import type { CSSProperties } from 'react';
import styles from './environment-band.module.css';

/** Shows the environment's color and name above every screen. Production is filled to stand out. */
export function EnvironmentBand({ environment }: { environment: Environment }) {
  const getShade = (shade: number) => `var(--mantine-color-${environment.color}-${shade}, var(--color-text-muted))`;
  const style = {
    '--environment-color': getShade(9),
    '--environment-color-medium': getShade(6),
    '--environment-color-light': getShade(2),
  } as CSSProperties;
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

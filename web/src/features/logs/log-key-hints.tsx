import styles from './logs-page.module.css';

const hints: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['Space'], 'pause or follow'],
  [['Home', 'End'], 'first line, follow'],
  [['/'], 'search'],
  [['n', 'N'], 'next, previous match'],
  [['w'], 'wrap'],
  [['c'], 'clear'],
];

/** The keys of this screen, where they are used. */
export function LogKeyHints() {
  return (
    <ul className={styles.hints} aria-label="Keys">
      {hints.map(([keys, does]) => (
        <li key={does}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
          {does}
        </li>
      ))}
    </ul>
  );
}

import styles from './logs-page.module.css';

const hints: readonly (readonly [keys: readonly string[], description: string])[] = [
  [['Space'], 'pause or follow'],
  [['Home', 'End'], 'first line, follow'],
  [['/', 'Ctrl F'], 'search'],
  [['n', 'N'], 'next, previous match'],
  [['w'], 'wrap'],
  [['c'], 'clear'],
];

/** Shows the keyboard shortcuts of this screen next to the log. */
export function LogKeyHints() {
  return (
    <ul className={styles.hints} aria-label="Keyboard shortcuts">
      {hints.map(([keys, description]) => (
        <li key={description}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
          {description}
        </li>
      ))}
    </ul>
  );
}

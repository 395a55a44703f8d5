import type { Icon } from '@tabler/icons-react';
import styles from './info-cards.module.css';

export interface InfoCard {
  readonly Icon: Icon;
  readonly name: string;
  readonly text: string;
}

/** Explains the actions of a table's rows. */
export function InfoCards({ cards }: { cards: readonly InfoCard[] }) {
  return (
    <ul className={styles.cards}>
      {cards.map(({ Icon, name, text }) => (
        <li key={name}>
          <Icon size={18} stroke={1.5} aria-hidden />
          <div>
            <strong>{name}</strong>
            <p>{text}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

import { IconAdjustmentsHorizontal, IconChartDonut, IconFileText } from '@tabler/icons-react';
import styles from './info-cards.module.css';

const cards = [
  { Icon: IconChartDonut, name: 'View', text: 'Visualise db performance and scheduled function results.' },
  { Icon: IconAdjustmentsHorizontal, name: 'Config', text: 'Set timeout values for scheduled functions and views.' },
  { Icon: IconFileText, name: 'Logs', text: 'Stream app logs to the browser.' },
] as const;

/** What the actions of an app are for. */
export function InfoCards() {
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

import { formatCount } from '../format/numbers.ts';
import styles from './count-filter.module.css';
import { StatusChip } from './status-chip.tsx';
import type { Tone } from './tone.ts';

export interface CountFilterProps<Name extends string> {
  /** What is chosen, for screen readers: "Show only one state". */
  readonly legend: string;
  readonly counts: readonly { readonly name: Name; readonly tone: Tone; readonly count: number }[];
  /** Replaces the name in a chip. */
  readonly labels?: Readonly<Record<Name, string>>;
  /** null shows all */
  readonly chosen: Name | null;
  readonly onChange: (chosen: Name | null) => void;
}

/** The number of rows of each kind. A press shows only those; another shows all again. */
export function CountFilter<Name extends string>(props: CountFilterProps<Name>) {
  const { legend, counts, labels, chosen, onChange } = props;
  return (
    <fieldset className={styles.chips}>
      <legend className="visually-hidden">{legend}</legend>
      {counts.map(({ name, tone, count }) => {
        const label = labels?.[name] ?? name;
        return (
          <button
            key={name}
            type="button"
            aria-pressed={name === chosen}
            disabled={count === 0 && name !== chosen}
            title={name === chosen ? 'Show all' : `Show only ${label}`}
            onClick={() => onChange(name === chosen ? null : name)}
          >
            <StatusChip tone={count === 0 ? 'neutral' : tone} label={`${formatCount(count)} ${label}`} />
          </button>
        );
      })}
    </fieldset>
  );
}

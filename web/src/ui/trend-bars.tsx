import styles from './trend-bars.module.css';

/** In units of the drawing, which is stretched to its place. */
const height = 24;
const step = 8;
const warningHeight = 3;

/** One bar for each interval, oldest first. Any value above zero is visible. */
export function TrendBars(props: {
  values: readonly number[];
  /** Describes the bars; null where what is around them does. */
  label: string | null;
  /** Small ones fit into a row of a table; large ones fill the width. */
  size: 'small' | 'large';
  /** The intervals that are underlined with the color of a warning. */
  warnings?: readonly boolean[];
  /** What the pointer shows at each interval, instead of the label. */
  hints?: readonly string[];
}) {
  const { values, label, size, warnings = [], hints = [] } = props;
  const max = Math.max(...values);
  return (
    <svg
      role="img"
      aria-label={label ?? ''}
      aria-hidden={label === null}
      className={styles[size]}
      viewBox={`0 0 ${values.length * step} ${height}`}
      preserveAspectRatio="none"
    >
      {label !== null && <title>{label}</title>}
      <path className={styles.bars} d={values.map((value, index) => toBar(index, value, max)).join('')} />
      <path className={styles.warnings} d={warnings.map((isShown, index) => (isShown ? toLine(index) : '')).join('')} />
      {hints.map((hint, index) => (
        <rect key={hint} className={styles.hint} x={index * step} width={step} height={height}>
          <title>{hint}</title>
        </rect>
      ))}
    </svg>
  );
}

function toBar(index: number, value: number, max: number): string {
  if (value === 0) return '';
  const length = Math.max(1, (value / max) * height);
  return `M${index * step + 1},${height}v${-length}h${step - 2}v${length}z`;
}

function toLine(index: number): string {
  return `M${index * step},${height}v${-warningHeight}h${step}v${warningHeight}z`;
}

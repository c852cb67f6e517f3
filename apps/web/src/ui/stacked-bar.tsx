import { t } from "../i18n/t.ts";
import styles from "./stacked-bar.module.css";

/** A part of a whole. */
export interface BarPart {
  /** Unique within the bar. */
  readonly id: string;
  readonly label: string;
  readonly value: number;
  /** The value in words. */
  readonly text: string;
}

interface StackedBarProps {
  /** What the bar shows, for screen readers. */
  readonly label: string;
  /** Up to six; what is nothing is only named. */
  readonly parts: readonly BarPart[];
  /** What a full bar is; the sum of the parts if omitted. */
  readonly total?: number | undefined;
}

/** Number of colours. */
const COLOURS = 6;

/** The parts of a whole on one bar, and below it what each colour is. Screen readers read the list alone. */
export function StackedBar({ label, parts, total }: StackedBarProps): React.JSX.Element {
  const sum = sumOf(parts);
  const whole = Math.max(total ?? sum, sum, 1e-9);
  const drawn = parts.map((part, index) => ({
    ...part,
    start: (sumOf(parts.slice(0, index)) / whole) * 100,
    width: (part.value / whole) * 100,
    colour: styles[`colour${index % COLOURS}`],
  }));
  return (
    <figure className={styles["figure"]} aria-label={label}>
      <svg className={styles["bar"]} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <rect className={styles["track"]} width="100" height="8" />
        {drawn.map(({ id, start, width, colour }) =>
          width === 0 ? null : <rect key={id} className={colour} x={start} width={width} height="8" />,
        )}
      </svg>
      <ul className={styles["legend"]}>
        {drawn.map(({ id, label: name, text, colour }) => (
          <li key={id}>
            <span className={`${styles["swatch"]} ${colour}`} aria-hidden="true" />
            {t("{name}: {value}", { name, value: text })}
          </li>
        ))}
      </ul>
    </figure>
  );
}

function sumOf(parts: readonly BarPart[]): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}

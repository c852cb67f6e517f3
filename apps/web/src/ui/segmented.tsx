import { useId } from "react";
import styles from "./segmented.module.css";

interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** One of a few choices, all of them in view: a group of radio buttons. */
export function Segmented<Value extends string>({ label, choices, value, onChange }: SegmentedProps<Value>): React.JSX.Element {
  const name = useId();
  return (
    <fieldset className={styles["segmented"]}>
      <legend>{label}</legend>
      <div className={styles["choices"]}>
        {choices.map((choice) => (
          <label key={choice.value}>
            <input
              type="radio"
              className="sr-only"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
            />
            {choice.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

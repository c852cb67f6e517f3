import { useId } from "react";
import { Field } from "../../ui/field.tsx";

interface KnownTextFieldProps {
  readonly label: string;
  readonly hint: string;
  /** Texts that can be chosen. */
  readonly known: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text that is typed, or chosen of those that are known. */
export function KnownTextField({ label, hint, known, value, onChange }: KnownTextFieldProps): React.JSX.Element {
  const list = useId();
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <>
          <input
            {...control}
            list={list}
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {known.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

import { useId } from "react";
import { Field } from "./field.tsx";

interface CodeFieldProps {
  readonly label: string;
  /** What is expected, below the control. */
  readonly hint?: string | undefined;
  /** What is wrong, and what to do. */
  readonly error?: string | undefined;
  /** Texts that are offered. */
  readonly known?: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly required?: boolean;
  readonly readOnly?: boolean;
  readonly maxLength?: number;
  readonly className?: string | undefined;
  /** A dialog that opens gives it the focus. */
  readonly hasInitialFocus?: boolean;
}

/** A line that a machine reads, such as a name, an id or an address: neither the browser's memory nor its spelling has a part in it. */
export function CodeField(props: CodeFieldProps): React.JSX.Element {
  const { label, hint, error, known = [], onChange, hasInitialFocus = false, ...input } = props;
  const list = useId();
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <>
          <input
            {...control}
            {...input}
            type="text"
            dir="auto"
            autoComplete="off"
            spellCheck={false}
            data-initial-focus={hasInitialFocus ? true : undefined}
            list={known.length === 0 ? undefined : list}
            onChange={({ target }) => onChange(target.value)}
          />
          {known.length === 0 ? null : (
            <datalist id={list}>
              {known.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

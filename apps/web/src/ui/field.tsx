import { useId } from "react";

/** What a control needs to be described by its field. */
interface ControlProps {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

interface FieldProps {
  readonly label: string;
  /** What is expected, below the control. */
  readonly hint?: string | undefined;
  /** What is wrong, and what to do. */
  readonly error?: string | undefined;
  readonly children: (control: ControlProps) => React.ReactNode;
}

/** A control of a form with its label, its hint and its error. */
export function Field({ label, hint, error, children }: FieldProps): React.JSX.Element {
  const id = useId();
  const described = [hint === undefined ? undefined : `${id}-hint`, error === undefined ? undefined : `${id}-error`].filter(
    (one) => one !== undefined,
  );
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {hint === undefined ? null : <p id={`${id}-hint`}>{hint}</p>}
      {error === undefined ? null : (
        <p id={`${id}-error`} className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

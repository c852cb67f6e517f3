interface ButtonProps extends React.ComponentProps<"button"> {
  /** `primary`: the main action of a place, at most one. `danger`: it destroys something. */
  readonly variant?: "plain" | "primary" | "danger" | "text";
  /** The action runs; the button cannot be pressed again. */
  readonly busy?: boolean;
}

/** A button with words. */
export function Button({ variant = "plain", busy = false, disabled = false, ...rest }: ButtonProps): React.JSX.Element {
  const className = variant === "text" ? "text-button" : variant === "plain" ? "button" : `button ${variant}`;
  return <button type="button" {...rest} className={className} disabled={disabled || busy} aria-busy={busy || undefined} />;
}

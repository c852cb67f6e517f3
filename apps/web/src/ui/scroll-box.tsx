interface ScrollBoxProps {
  readonly className: string;
  /** Label for screen readers. */
  readonly label: string;
  readonly children: React.ReactNode;
}

/** A container that may overflow. It is focusable, so that it can be scrolled by keyboard. */
export function ScrollBox({ className, label, children }: ScrollBoxProps): React.JSX.Element {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/prefer-tag-over-role -- see above; a fieldset is for a form
    <div className={className} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

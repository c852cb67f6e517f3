interface ScrollBoxProps {
  readonly className: string;
  /** What is in it, for those who do not see it. */
  readonly label: string;
  readonly children: React.ReactNode;
}

/** Something that may be larger than its place. It takes the focus, because whoever has no mouse scrolls with the keys. */
export function ScrollBox({ className, label, children }: ScrollBoxProps): React.JSX.Element {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/prefer-tag-over-role -- see above; a fieldset is for a form
    <div className={className} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

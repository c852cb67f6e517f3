/** A share as a bar, hidden from screen readers: the number is beside it. */
export function SizeBar({ share }: { readonly share: number }): React.JSX.Element {
  return (
    <svg className="size-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect className="size-track" width="100" height="4" />
      <rect className="size-share" width={Math.min(100, Math.max(share > 0 ? 0.5 : 0, share * 100))} height="4" />
    </svg>
  );
}

/** A fact of a list of definitions: what it is, and its value. */
export function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }): React.JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

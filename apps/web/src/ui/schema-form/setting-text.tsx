/** A description of the schema, with its words of code. */
export function SettingText({ id, text }: { readonly id?: string; readonly text: string }): React.JSX.Element {
  return (
    <p id={id} dir="auto">
      {text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}
    </p>
  );
}

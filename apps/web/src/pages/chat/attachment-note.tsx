import { Icon } from "../../ui/icon.tsx";

/** Shows how many files a message has. */
export function AttachmentNote({ count }: { readonly count: number }): React.JSX.Element | null {
  if (count === 0) return null;
  return (
    <span className="attachment-note">
      <Icon name="image" />
      {count === 1 ? "1 attachment" : `${count} attachments`}
    </span>
  );
}

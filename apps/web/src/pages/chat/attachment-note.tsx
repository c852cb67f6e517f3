import { Icon } from "../../ui/icon.tsx";
import { t } from "../../i18n/t.ts";

/** Shows how many files a message has. */
export function AttachmentNote({ count }: { readonly count: number }): React.JSX.Element | null {
  if (count === 0) return null;
  return (
    <span className="attachment-note">
      <Icon name="attach" />
      {t("{count, plural, one {# attachment} other {# attachments}}", { count })}
    </span>
  );
}

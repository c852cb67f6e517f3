import { Link } from "@tanstack/react-router";
import { usePages } from "../shell/use-pages.ts";
import { msg, t } from "../i18n/t.ts";

const WORDS: Readonly<Record<string, string>> = {
  automations: msg("Have something done every day"),
  memory: msg("See what it remembers"),
  channels: msg("Add another channel"),
};

/** Where to go after the first run, besides the chat. */
export function NextPages({ onChoose }: { readonly onChoose: () => void }): React.JSX.Element {
  const pages = usePages().filter(({ id }) => id in WORDS);
  return (
    <ul className="setup-next">
      {pages.map(({ id, link }) => (
        <li key={id}>
          <Link {...link} onClick={onChoose}>
            {t(WORDS[id] ?? "")}
          </Link>
        </li>
      ))}
    </ul>
  );
}

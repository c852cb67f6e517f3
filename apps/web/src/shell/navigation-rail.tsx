import { Link } from "@tanstack/react-router";
import { t } from "../i18n/t.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { LanguageChoice } from "./language-choice.tsx";
import { usePalette } from "./palette-host.tsx";
import { type PageLink, usePages } from "./use-pages.ts";

/** Its keyboards have another key for commands. */
const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);
/** Pages with a place of their own in the bar of a phone. */
const ON_PHONES = 4;

/** The pages, as icons with names: on the left, or at the bottom on phones. What has no place there is in the menu. */
export function NavigationRail(): React.JSX.Element {
  const pages = usePages();
  const palette = usePalette();
  return (
    <nav className="rail" aria-label={t("Pages")}>
      <ul>
        {pages.map((page, index) => (
          <li key={page.id} className={index < ON_PHONES ? undefined : "rail-wide"}>
            <RailLink page={page} />
          </li>
        ))}
        <li className="rail-more">
          <Menu
            label={t("More")}
            className="rail-link"
            button={
              <>
                <Icon name="more" />
                <span aria-hidden="true">{t("More")}</span>
              </>
            }
          >
            <ul className="rail-menu">
              {pages.slice(ON_PHONES).map((page) => (
                <li key={page.id} className="rail-narrow">
                  <RailLink page={page} />
                </li>
              ))}
              <li>
                <button type="button" className="text-button" onClick={palette.open}>
                  {t("Search pages and actions")} {IS_APPLE ? <kbd>⌘K</kbd> : <kbd>Ctrl K</kbd>}
                </button>
              </li>
            </ul>
            <LanguageChoice />
          </Menu>
        </li>
      </ul>
    </nav>
  );
}

function RailLink({ page: { link, icon, label, waiting = 0 } }: { readonly page: PageLink }): React.JSX.Element {
  return (
    <Link {...link} className="rail-link">
      <Icon name={icon} />
      <span>{label}</span>
      {waiting === 0 ? null : <RailCount count={waiting} />}
    </Link>
  );
}

/** Above this, the exact number says nothing more. */
const MAX_COUNT = 99;

function RailCount({ count }: { readonly count: number }): React.JSX.Element {
  return (
    <>
      <span className="rail-count" aria-hidden="true">
        {count > MAX_COUNT ? `${MAX_COUNT}+` : count}
      </span>
      <span className="sr-only">{t("{count, plural, one {(# item waits)} other {(# items wait)}}", { count })}</span>
    </>
  );
}

import { Link } from "@tanstack/react-router";
import { useAppState } from "../app/app-context.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

/** The pages, as icons with names: on the left, or at the bottom on phones. */
export function NavigationRail(): React.JSX.Element {
  const sessionKey = useAppState((state) => state.sessionKey);
  return (
    <nav className="rail" aria-label="Pages">
      <ul>
        <li>
          <Link to="/chat/{-$sessionKey}" params={{ sessionKey }} className="rail-link">
            <RailLabel icon="chat" name="Chat" />
          </Link>
        </li>
        {sessionKey === undefined ? null : (
          <li>
            <Link to="/context/$sessionKey" params={{ sessionKey }} className="rail-link">
              <RailLabel icon="context" name="Context" />
            </Link>
          </li>
        )}
      </ul>
    </nav>
  );
}

function RailLabel({ icon, name }: { readonly icon: IconName; readonly name: string }): React.JSX.Element {
  return (
    <>
      <Icon name={icon} />
      <span>{name}</span>
    </>
  );
}

import { useAppState, useController } from "../../app/app-context.ts";
import { msg, t } from "../../i18n/t.ts";

const SUGGESTIONS = [msg("List the files in your workspace"), msg("Write a short note into notes.md"), msg("What can you do here?")];

/** An empty conversation: what it is for, and some suggestions. */
export function Welcome(): React.JSX.Element {
  const controller = useController();
  const name = useAppState((state) => state.agents.find((agent) => agent.id === state.agentId && agent.name !== agent.id)?.name);
  return (
    <div className="welcome">
      <p className="welcome-title">{name === undefined || name === "" ? t("What shall we do?") : t("What shall {name} do?", { name })}</p>
      <p>{t("It works with files and tools on your own machine, and shows every step here.")}</p>
      <ul>
        {SUGGESTIONS.map((one) => t(one)).map((text) => (
          <li key={text}>
            <button type="button" className="button" onClick={() => controller.send(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

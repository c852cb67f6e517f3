import { Link } from "@tanstack/react-router";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { describeMatch } from "../agents/describe-match.ts";
import styles from "./agent.module.css";

/** Which messages the agent answers. The page Agents changes them. */
export function BindingsTab({ agentId }: { readonly agentId: string }): React.JSX.Element {
  const bindings = useRpc("agents.bindings", {});
  return (
    <Loaded query={bindings}>
      {({ bindings: all, defaultAgentId }) => {
        const own = all.filter((binding) => binding.agentId === agentId);
        return (
          <>
            {agentId === defaultAgentId ? (
              <p>{t("This is the default agent: it answers every message that no binding gives to another one.")}</p>
            ) : null}
            {own.length === 0 && agentId !== defaultAgentId ? (
              <EmptyState>{t("No binding names this agent, so only this page, sub-agents and jobs reach it.")}</EmptyState>
            ) : null}
            <ul className={styles["items"]} aria-label={t("Bindings")}>
              {own.map(({ index, match }) => (
                <li key={index} className="list-item" dir="auto">
                  {describeMatch(match)}
                </li>
              ))}
            </ul>
            <p>
              <Link to="/agents">{t("Change the bindings on the page Agents")}</Link>
            </p>
          </>
        );
      }}
    </Loaded>
  );
}

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Agent } from "../../app/app-state.ts";
import { useAction } from "../../data/use-action.ts";
import { showProblems } from "../../data/show-problems.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { AgentDialog } from "./agent-dialog.tsx";
import styles from "./agents.module.css";

interface AgentItemProps {
  readonly agent: Agent;
  /** How many name it. */
  readonly bindings: number;
  readonly isRemoving: boolean;
  readonly onRemove: () => void;
}

/** One agent: its model and its folder, and what can be changed of it. */
export function AgentItem({ agent, bindings, isRemoving, onRemove }: AgentItemProps): React.JSX.Element {
  const { id, name, isDefault, model, workspace } = agent;
  const [open, setOpen] = useState<"change" | "remove">();
  const toasts = useToasts();
  const update = useAction("agents.update");
  const makeDefault = async (): Promise<void> => {
    const done = await update.run({ id, isDefault: true });
    if (done === undefined) return;
    toasts.show({ text: t("{name} is the default agent.", { name }) });
    showProblems(toasts, done.problems);
  };
  return (
    <article className={styles["agent"]}>
      <div className={styles["head"]}>
        <h3>
          <Link to="/agent/{-$agentId}/{-$tab}" params={{ agentId: id, tab: undefined }}>
            <bdi>{name}</bdi>
          </Link>
        </h3>
        {name === id ? null : <code>{id}</code>}
        {isDefault ? <Badge tone="good">{t("Default")}</Badge> : null}
      </div>
      <p className="fact-line">
        {model === undefined ? <span className="problem">{t("No usable model")}</span> : <bdi>{model}</bdi>}
        <span>{t("{count, plural, =0 {no bindings} one {# binding} other {# bindings}}", { count: bindings })}</span>
        <bdi>{workspace}</bdi>
      </p>
      <div className="actions">
        <Button onClick={() => setOpen("change")}>
          {t("Change…")}
          <span className="sr-only"> {name}</span>
        </Button>
        {isDefault ? null : (
          <>
            <Button busy={update.isBusy} onClick={() => void makeDefault()}>
              {t("Make default")}
              <span className="sr-only"> {name}</span>
            </Button>
            <Button busy={isRemoving} onClick={() => setOpen("remove")}>
              {t("Remove…")}
              <span className="sr-only"> {name}</span>
            </Button>
          </>
        )}
      </div>
      {open === "change" ? <AgentDialog agent={agent} onClose={() => setOpen(undefined)} /> : null}
      {open === "remove" ? (
        <ConfirmDialog
          title={t("Remove {name}?", { name })}
          text={t("Its bindings go, too. Its files and its conversations stay: an agent that is added with this id has them again.")}
          yes={t("Remove")}
          danger
          onConfirm={onRemove}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
    </article>
  );
}

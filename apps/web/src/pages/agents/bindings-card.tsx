import type { AgentBinding } from "@factotum/protocol";
import { useState } from "react";
import type { Agent } from "../../app/app-state.ts";
import { useAction } from "../../data/use-action.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { BindingDialog } from "./binding-dialog.tsx";
import { describeMatch } from "./describe-match.ts";
import styles from "./agents.module.css";

interface BindingsCardProps {
  readonly agents: readonly Agent[];
  /** In the order in which they apply. */
  readonly bindings: readonly AgentBinding[];
  readonly defaultAgentId: string;
}

/** Which agent answers which messages. */
export function BindingsCard({ agents, bindings, defaultAgentId }: BindingsCardProps): React.JSX.Element {
  const [isAdding, setAdding] = useState(false);
  const { remove, isBusy } = useUnbind();
  const nameOf = (id: string): string => agents.find((agent) => agent.id === id)?.name ?? id;
  return (
    <Card title={t("Who answers what")} actions={<Button onClick={() => setAdding(true)}>{t("Add a binding…")}</Button>}>
      <p className="note">
        {bindings.length === 0
          ? t("{name} answers everything. With a binding, another agent answers a channel, a group or a person.", {
              name: nameOf(defaultAgentId),
            })
          : t("The first one that matches counts. {name} answers the rest.", { name: nameOf(defaultAgentId) })}
      </p>
      {bindings.length === 0 ? null : (
        <ol className={styles["bindings"]} aria-label={t("Bindings")}>
          {bindings.map((binding) => (
            <BindingRow
              key={binding.index}
              binding={binding}
              agentName={nameOf(binding.agentId)}
              isBusy={isBusy}
              onRemove={() => void remove(binding)}
            />
          ))}
        </ol>
      )}
      {isAdding ? <BindingDialog agents={agents} onClose={() => setAdding(false)} /> : null}
    </Card>
  );
}

interface BindingRowProps {
  readonly binding: AgentBinding;
  readonly agentName: string;
  readonly isBusy: boolean;
  readonly onRemove: () => void;
}

function BindingRow({ binding: { match, externalAgent }, agentName, isBusy, onRemove }: BindingRowProps): React.JSX.Element {
  const what = describeMatch(match);
  return (
    <li>
      <span dir="auto">{what}</span>
      <strong>
        <bdi>{externalAgent ?? agentName}</bdi>
      </strong>
      <Button variant="text" busy={isBusy} onClick={onRemove}>
        {t("Remove")}
        <span className="sr-only"> {what}</span>
      </Button>
    </li>
  );
}

/** Removes bindings, with a way back. For a component that outlives their rows. */
function useUnbind(): { readonly remove: (binding: AgentBinding) => Promise<void>; readonly isBusy: boolean } {
  const toasts = useToasts();
  const unbind = useAction("agents.unbind");
  const bind = useAction("agents.bind");
  const remove = async ({ index, agentId, match, externalAgent, dmScope }: AgentBinding): Promise<void> => {
    // Only what the dialog can make is made again.
    const canUndo = externalAgent === undefined && dmScope === undefined;
    const action = { label: t("Undo"), run: () => void bind.run({ agentId, match }) };
    if ((await unbind.run({ agentId, index })) === undefined) return;
    toasts.show({ text: t("The binding is removed."), ...(canUndo && { action }) });
  };
  return { remove, isBusy: unbind.isBusy };
}

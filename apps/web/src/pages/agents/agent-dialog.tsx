import { useState } from "react";
import type { Agent } from "../../app/app-state.ts";
import { useRpc, useRpcMutation } from "../../data/use-rpc.ts";
import { showProblems } from "../../data/show-problems.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CodeField } from "../../ui/code-field.tsx";
import { Field } from "../../ui/field.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import styles from "./agents.module.css";

/** Ids as the gateway takes them. */
const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

interface AgentDialogProps {
  /** The agent that is changed; absent for a new one. */
  readonly agent?: Agent;
  readonly onClose: () => void;
}

/** Makes an agent, or changes its name and its model. */
export function AgentDialog({ agent, onClose }: AgentDialogProps): React.JSX.Element {
  const [id, setId] = useState(agent?.id ?? "");
  const [name, setName] = useState(agent === undefined || agent.name === agent.id ? "" : agent.name);
  const [model, setModel] = useState("");
  const { save, isPending, problem } = useSave(agent, onClose);
  const isGood = ID.test(id);
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    if (isGood && !isPending) save({ id, name: name.trim(), model: model.trim() });
  };
  return (
    <Dialog title={agent === undefined ? t("Add an agent") : t("Change {name}", { name: agent.name })} onClose={onClose}>
      <form className={styles["form"]} onSubmit={submit}>
        {agent === undefined ? (
          <CodeField
            label={t("Short name")}
            hint={t("Lower case letters, digits, - and _. It stays as it is.")}
            error={id === "" || isGood ? undefined : t("Only lower case letters, digits, - and _, at most 64.")}
            hasInitialFocus
            value={id}
            onChange={setId}
          />
        ) : null}
        <Field label={t("Name")} hint={t("What it is called in lists. A name in IDENTITY.md comes first.")}>
          {(control) => <input {...control} dir="auto" autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <ModelField present={agent?.model} value={model} onChange={setModel} />
        {problem === undefined ? null : (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="dialog-actions">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button type="submit" variant="primary" busy={isPending} disabled={!isGood}>
            {agent === undefined ? t("Add") : t("Save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ModelFieldProps {
  /** The model in use. */
  readonly present: string | undefined;
  readonly value: string;
  readonly onChange: (model: string) => void;
}

function ModelField({ present, value, onChange }: ModelFieldProps): React.JSX.Element {
  const models = useRpc("models.list", {});
  return (
    <CodeField
      label={t("Model")}
      hint={present === undefined ? t("Empty: the model of all agents.") : t("Empty: as now, {model}.", { model: present })}
      known={models.data?.models.map(({ reference }) => reference) ?? []}
      value={value}
      onChange={onChange}
    />
  );
}

interface Entered {
  readonly id: string;
  readonly name: string;
  readonly model: string;
}

function useSave(
  agent: Agent | undefined,
  onClose: () => void,
): { readonly save: (entered: Entered) => void; readonly isPending: boolean; readonly problem: string | undefined } {
  const toasts = useToasts();
  const add = useRpcMutation("agents.add");
  const update = useRpcMutation("agents.update");
  const done = (text: string, problems: readonly string[]): void => {
    toasts.show({ text });
    showProblems(toasts, problems);
    onClose();
  };
  const save = ({ id, name, model }: Entered): void => {
    const chosen = model === "" ? {} : { model };
    if (agent === undefined)
      add.mutate(
        { id, ...(name === "" ? {} : { name }), ...chosen },
        { onSuccess: ({ problems }) => done(t("{name} is added. Say below which messages it answers.", { name: name || id }), problems) },
      );
    else
      update.mutate(
        { id, ...(name === agent.name ? {} : { name: name === "" ? null : name }), ...chosen },
        { onSuccess: ({ problems }) => done(t("{name} is changed.", { name: name || id }), problems) },
      );
  };
  return { save, isPending: add.isPending || update.isPending, problem: (add.error ?? update.error)?.message };
}

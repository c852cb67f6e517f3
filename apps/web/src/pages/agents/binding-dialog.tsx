import { useState } from "react";
import type { AgentBinding } from "@factotum/protocol";
import type { Agent } from "../../app/app-state.ts";
import { useRpc, useRpcMutation } from "../../data/use-rpc.ts";
import { showProblems } from "../../data/show-problems.ts";
import { t } from "../../i18n/t.ts";
import { AgentChoice } from "../../ui/agent-choice.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CodeField } from "../../ui/code-field.tsx";
import { Field } from "../../ui/field.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import styles from "./agents.module.css";

type PeerKind = NonNullable<AgentBinding["match"]["peer"]>["kind"];

const KINDS: readonly ("all" | PeerKind)[] = ["all", "direct", "group", "channel"];

/** The conversations that a binding is about. */
interface Peer {
  readonly kind: "all" | PeerKind;
  readonly id: string;
}

interface BindingDialogProps {
  readonly agents: readonly Agent[];
  readonly onClose: () => void;
}

/** Gives messages to an agent: those of a channel, of one of its accounts, of a group or of a person. */
export function BindingDialog({ agents, onClose }: BindingDialogProps): React.JSX.Element {
  const accounts = useRpc("status", {}).data?.channels ?? [];
  const [agentId, setAgentId] = useState(agents.find(({ isDefault }) => !isDefault)?.id ?? agents[0]?.id ?? "");
  const [channel, setChannel] = useState("");
  const [accountId, setAccountId] = useState("");
  const [peer, setPeer] = useState<Peer>({ kind: "all", id: "" });
  const { bind, isPending, problem } = useBind(onClose);
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    if (channel.trim() !== "" && !isPending) bind(agentId, matchOf({ channel, accountId, peer }));
  };
  return (
    <Dialog title={t("Add a binding")} onClose={onClose}>
      <form className={styles["form"]} onSubmit={submit}>
        <AgentChoice agents={agents} agentId={agentId} onChange={setAgentId} hasInitialFocus />
        <CodeField
          label={t("Channel")}
          hint={t("The name of a channel, as its page has it.")}
          known={[...new Set(accounts.map((account) => account.channel))]}
          value={channel}
          onChange={setChannel}
        />
        <CodeField
          label={t("Account")}
          hint={t("Empty: the account “default”. * means every account.")}
          known={accounts.flatMap((account) => (account.channel === channel ? [account.accountId] : []))}
          value={accountId}
          onChange={setAccountId}
        />
        <PeerFields peer={peer} onChange={setPeer} />
        {problem === undefined ? null : (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="dialog-actions">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button type="submit" variant="primary" busy={isPending} disabled={channel.trim() === ""}>
            {t("Add")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function PeerFields({ peer, onChange }: { readonly peer: Peer; readonly onChange: (peer: Peer) => void }): React.JSX.Element {
  return (
    <>
      <Field label={t("Conversations")}>
        {(control) => (
          <select
            {...control}
            value={peer.kind}
            onChange={(event) => onChange({ ...peer, kind: KINDS.find((one) => one === event.target.value) ?? "all" })}
          >
            <option value="all">{t("All of them")}</option>
            <option value="direct">{t("Direct messages")}</option>
            <option value="group">{t("Groups")}</option>
            <option value="channel">{t("Channels of a team")}</option>
          </select>
        )}
      </Field>
      {peer.kind === "all" ? null : (
        <CodeField
          label={t("Id of the conversation")}
          hint={t("The id that the platform gives it. Empty: every one.")}
          value={peer.id}
          onChange={(id) => onChange({ ...peer, id })}
        />
      )}
    </>
  );
}

function matchOf({
  channel,
  accountId,
  peer,
}: {
  readonly channel: string;
  readonly accountId: string;
  readonly peer: Peer;
}): AgentBinding["match"] {
  const { kind, id } = peer;
  return {
    channel: channel.trim(),
    ...(accountId.trim() === "" ? {} : { accountId: accountId.trim() }),
    ...(kind === "all" ? {} : { peer: { kind, id: id.trim() || "*" } }),
  };
}

function useBind(onClose: () => void): {
  readonly bind: (agentId: string, match: AgentBinding["match"]) => void;
  readonly isPending: boolean;
  readonly problem: string | undefined;
} {
  const toasts = useToasts();
  const bind = useRpcMutation("agents.bind");
  const send = (agentId: string, match: AgentBinding["match"]): void =>
    bind.mutate(
      { agentId, match },
      {
        onSuccess: ({ problems }) => {
          toasts.show({ text: t("The binding is added.") });
          showProblems(toasts, problems);
          onClose();
        },
      },
    );
  return { bind: send, isPending: bind.isPending, problem: bind.error?.message };
}

import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Account, accountLabel } from "../../channel-setup/account-name.ts";
import { useRpcMutation } from "../../data/use-rpc.ts";
import { RpcError } from "../../gateway-client/rpc-error.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { sentenceSpace } from "../../i18n/sentence-space.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useToasts } from "../../ui/toasts.tsx";

/** The platform may need its time. */
const TIMEOUT_MS = 75_000;

/** Checks, restarts and removes an account. */
export function AccountActions({ account }: { readonly account: Account }): React.JSX.Element {
  const name = accountLabel(account);
  const toasts = useToasts();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const probe = useRpcMutation("channels.probe", { timeoutMs: TIMEOUT_MS });
  const restart = useRpcMutation("channels.restart", { timeoutMs: TIMEOUT_MS });
  const remove = useRpcMutation("channels.remove", { timeoutMs: TIMEOUT_MS });
  const problem = probe.error ?? restart.error ?? remove.error;
  // Not by the callback of `mutate`: this is not drawn any longer when the account is gone.
  const removeNow = (): void => {
    remove.mutateAsync(account).then(
      ({ discarded }) => {
        toasts.show({
          text:
            discarded === 0
              ? t("{account} is removed.", { account: name })
              : t(
                  "{account} is removed. {count, plural, one {# message that waited is} other {# messages that waited are}} in the inbox.",
                  {
                    account: name,
                    count: discarded,
                  },
                ),
        });
        void navigate({ to: "/channels" });
      },
      (error: unknown) => {
        // It is shown.
        if (!(error instanceof RpcError)) throw error;
      },
    );
  };
  return (
    <>
      <output>
        {probe.data === undefined || probe.isPending ? null : <Probed result={probe.data} />}
        {problem === null ? null : (
          <p className="problem" dir="auto">
            {problem.message}
          </p>
        )}
      </output>
      <div className="actions">
        <Button busy={probe.isPending} onClick={() => probe.mutate(account)}>
          {t("Check access")}
        </Button>
        <Button busy={restart.isPending} onClick={() => restart.mutate(account)}>
          {t("Start again")}
        </Button>
        <Button variant="danger" busy={remove.isPending} onClick={() => setAsking(true)}>
          {t("Remove…")}
        </Button>
      </div>
      {isAsking ? (
        <ConfirmDialog
          title={t("Remove {account}?", { account: name })}
          text={t(
            "Its settings, its secrets and who was admitted there go. What waits to be sent there stays in the inbox. This cannot be undone.",
          )}
          yes={t("Remove")}
          danger
          onConfirm={removeNow}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}

interface ProbedProps {
  readonly result: {
    readonly account: { readonly id: string; readonly name?: string };
    readonly missingPermissions: readonly string[];
    readonly problems?: readonly string[];
    readonly notes?: readonly string[];
  };
}

function Probed({ result: { account, missingPermissions, problems = [], notes = [] } }: ProbedProps): React.JSX.Element {
  return (
    <div className="result">
      <p>
        {t("Its platform knows it as:")}
        {sentenceSpace()}
        <bdi>{account.name ?? account.id}</bdi>
      </p>
      {missingPermissions.map((permission) => (
        <p key={permission} className="problem">
          {t("It lacks a permission:")}
          {sentenceSpace()}
          <bdi>{gatewayText(permission)}</bdi>
        </p>
      ))}
      {problems.map((text) => (
        <p key={text} className="problem" dir="auto">
          {gatewayText(text)}
        </p>
      ))}
      {notes.map((text) => (
        <p key={text} dir="auto">
          {gatewayText(text)}
        </p>
      ))}
    </div>
  );
}

import type { AccessRole, AccountAccess, DmPolicy, GroupPolicy } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { formatMoment } from "../app/locale.ts";
import { Loaded } from "../data/loaded.tsx";
import { useRpc, useRpcMutation } from "../data/use-rpc.ts";
import { gatewayText } from "../i18n/gateway-text.ts";
import { msg, t } from "../i18n/t.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { CodeField } from "../ui/code-field.tsx";
import { Field } from "../ui/field.tsx";
import { type Account, accountLabel } from "./account-name.ts";
import styles from "./channel-setup.module.css";
import { PairingRequests } from "./pairing-requests.tsx";

const DIRECT: Readonly<Record<DmPolicy, string>> = {
  pairing: msg("Those you approve: strangers get a code"),
  allowlist: msg("Only those in the list below"),
  open: msg("Everybody"),
  disabled: msg("No one, not even you"),
};
const GROUPS: Readonly<Record<GroupPolicy, string>> = {
  allowlist: msg("Only in the groups below"),
  open: msg("In every group"),
  disabled: msg("In no group"),
};
const ROLES: Readonly<Record<AccessRole, string>> = {
  guest: msg("A guest: may talk to it"),
  owner: msg("An owner: may have commands run"),
  group: msg("A group"),
};

/** Who may write to an account: who asks, who was admitted, and by which rules. */
export function WhoMayWrite({ account }: { readonly account: Account }): React.JSX.Element {
  const access = useRpc("access.list", account);
  return (
    <>
      <PairingRequests account={account} empty={null} />
      <Loaded query={access}>
        {(rules) => (
          <>
            <Policies account={account} rules={rules} />
            <People account={account} rules={rules} />
            <Admit account={account} rules={rules} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface RulesProps {
  readonly account: Account;
  readonly rules: AccountAccess;
}

function Policies({ account, rules: { dmPolicy, groupPolicy } }: RulesProps): React.JSX.Element {
  const policy = useRpcMutation("access.policy");
  return (
    <div className={styles["part"]}>
      <Field label={t("Direct messages of")} error={policy.error?.message}>
        {(control) => (
          <select
            {...control}
            value={dmPolicy}
            disabled={policy.isPending}
            onChange={({ target }) => policy.mutate({ ...account, dmPolicy: target.value as DmPolicy })}
          >
            {Object.entries(DIRECT).map(([value, label]) => (
              <option key={value} value={value}>
                {t(label)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t("It answers")}>
        {(control) => (
          <select
            {...control}
            value={groupPolicy}
            disabled={policy.isPending}
            onChange={({ target }) => policy.mutate({ ...account, groupPolicy: target.value as GroupPolicy })}
          >
            {Object.entries(GROUPS).map(([value, label]) => (
              <option key={value} value={value}>
                {t(label)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}

function People({ account, rules: { owners, allowFrom, groups } }: RulesProps): React.JSX.Element {
  const pairing = useRpc("pairing.list", {});
  const remove = useRpcMutation("access.remove");
  const revoke = useRpcMutation("pairing.revoke");
  const approved = (pairing.data?.approved ?? []).filter(
    ({ channel, accountId }) => channel === account.channel && accountId === account.accountId,
  );
  const nameOf = (id: string): string | undefined => approved.find(({ senderId }) => senderId === id)?.senderName;
  const isBusy = remove.isPending || revoke.isPending;
  const problem = remove.error ?? revoke.error;
  const entries = [
    ...owners.map((id) => ({ id, as: "owner" as const, kind: t("Owner"), words: undefined })),
    ...allowFrom.map((id) => ({ id, as: "guest" as const, kind: t("Guest"), words: id === "*" ? t("Everybody") : undefined })),
    ...groups.map((id) => ({ id, as: "group" as const, kind: t("Group"), words: id === "*" ? t("Every other group") : undefined })),
  ];
  const codes = approved.filter(({ senderId }) => !owners.includes(senderId));
  return (
    <div className={styles["part"]}>
      <h3>{t("Admitted")}</h3>
      {entries.length + codes.length === 0 ? (
        <p className="note">{t("No one yet. Write to the assistant there: your request appears here.")}</p>
      ) : null}
      {problem === null ? null : (
        <p className="problem" role="alert" dir="auto">
          {problem.message}
        </p>
      )}
      <ul className={styles["people"]}>
        {entries.map(({ id, as, kind, words }) => (
          <li key={`${as} ${id}`}>
            <span>
              <bdi>{words ?? nameOf(id) ?? id}</bdi>
              {words === undefined && nameOf(id) !== undefined ? (
                <small>
                  <bdi>{id}</bdi>
                </small>
              ) : null}
            </span>
            <Badge tone={as === "owner" ? "good" : "neutral"}>{kind}</Badge>
            <Button variant="text" busy={isBusy} onClick={() => remove.mutate({ ...account, id, as })}>
              {t("Remove")} <bdi className="sr-only">{words ?? nameOf(id) ?? id}</bdi>
            </Button>
          </li>
        ))}
        {codes.map(({ senderId, senderName, approvedAtMs }) => (
          <li key={`code ${senderId}`}>
            <span>
              <bdi>{senderName ?? senderId}</bdi>
              <small>
                <bdi>{senderId}</bdi>
                {approvedAtMs === undefined ? null : ` · ${t("approved {time}", { time: formatMoment(approvedAtMs) })}`}
              </small>
            </span>
            <Badge>{t("Guest")}</Badge>
            <Button variant="text" busy={isBusy} onClick={() => revoke.mutate({ ...account, senderId })}>
              {t("Remove")} <bdi className="sr-only">{senderName ?? senderId}</bdi>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Admit({ account, rules: { forms } }: RulesProps): React.JSX.Element {
  const [id, setId] = useState("");
  const [as, setAs] = useState<AccessRole>("guest");
  const allow = useRpcMutation("access.allow");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (id.trim() === "" || allow.isPending) return;
    allow.mutate({ ...account, id: id.trim(), as }, { onSuccess: () => setId("") });
  };
  const form = as === "group" ? forms.groups : forms.people;
  return (
    <form className={styles["part"]} onSubmit={submit} aria-label={t("Admit somebody to {account}", { account: accountLabel(account) })}>
      <h3>{t("Admit somebody by an id")}</h3>
      <Field label={t("Who")}>
        {(control) => (
          <select {...control} value={as} onChange={({ target }) => setAs(target.value as AccessRole)}>
            {Object.entries(ROLES).map(([value, label]) => (
              <option key={value} value={value}>
                {t(label)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className={styles["row"]}>
        <CodeField
          label={t("Id on the platform")}
          hint={form === undefined ? undefined : gatewayText(form)}
          error={allow.error?.message}
          value={id}
          onChange={setId}
        />
      </div>
      <div className="actions">
        <Button type="submit" busy={allow.isPending} disabled={id.trim() === ""}>
          {t("Admit")}
        </Button>
      </div>
    </form>
  );
}

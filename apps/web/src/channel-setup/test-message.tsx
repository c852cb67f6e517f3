import type { ChannelTest } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { useRpcMutation } from "../data/use-rpc.ts";
import { gatewayText } from "../i18n/gateway-text.ts";
import { t } from "../i18n/t.ts";
import { RichText } from "../i18n/rich-text.tsx";
import { Button } from "../ui/button.tsx";
import { CodeField } from "../ui/code-field.tsx";
import { type Account, accountLabel } from "./account-name.ts";
import styles from "./channel-setup.module.css";

/** The platform may need its time. */
const TEST_TIMEOUT_MS = 75_000;

interface TestMessageProps {
  readonly account: Account;
  /** Called when the platform took one. */
  readonly onSent?: () => void;
}

/** Sends a test message, and shows what the platform said. */
export function TestMessage({ account, onSent }: TestMessageProps): React.JSX.Element {
  const [to, setTo] = useState("");
  const test = useRpcMutation("channels.test", { timeoutMs: TEST_TIMEOUT_MS });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (test.isPending) return;
    const given = to.trim();
    const text = t("This is a test message from your assistant. It can write to you here.");
    test.mutate(
      { ...account, text, ...(given !== "" && { to: given }) },
      { onSuccess: ({ type }) => (type === "accepted" ? onSent?.() : undefined) },
    );
  };
  return (
    <form className={styles["part"]} onSubmit={submit} aria-label={t("Test message by {account}", { account: accountLabel(account) })}>
      <div className={styles["row"]}>
        <CodeField label={t("To")} hint={t("Empty: you, its owner. Otherwise an id of the platform.")} value={to} onChange={setTo} />
      </div>
      <div className="actions">
        <Button type="submit" busy={test.isPending}>
          {t("Send a test message")}
        </Button>
      </div>
      <output>
        {test.error === null ? null : (
          <p className="problem" dir="auto">
            {test.error.message}
          </p>
        )}
        {test.data === undefined || test.isPending ? null : <Result result={test.data} hasNamed={test.variables?.to !== undefined} />}
      </output>
    </form>
  );
}

function Result({ result, hasNamed }: { readonly result: ChannelTest; readonly hasNamed: boolean }): React.JSX.Element {
  const name = <bdi key="0" />;
  switch (result.type) {
    case "accepted":
      return (
        <p>
          <RichText id="Sent to <0>{to}</0>. The platform took it." values={{ to: result.to }} parts={[name]} />
        </p>
      );
    case "rejected":
      return (
        <p className="problem">
          <RichText
            id="Nothing was shown to <0>{to}</0>: <1>{reason}</1>"
            values={{ to: result.to, reason: gatewayText(result.reason) }}
            parts={[name, <bdi key="1" />]}
          />
        </p>
      );
    case "ambiguous":
      return (
        <p className="problem">
          <RichText
            id="It may have reached <0>{to}</0>, or not: <1>{reason}</1>"
            values={{ to: result.to, reason: gatewayText(result.reason) }}
            parts={[name, <bdi key="1" />]}
          />
        </p>
      );
    case "no-recipient":
      return (
        <p className="problem">
          {hasNamed
            ? t("The platform knows no such person or conversation.")
            : t("No owner is known there yet. Write to the assistant first, and approve your request.")}
        </p>
      );
  }
}

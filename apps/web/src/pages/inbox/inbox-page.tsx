import type { DeadLetter, GatewayWarning } from "@factotum/protocol";
import type { UseQueryResult } from "@tanstack/react-query";
import { Fragment, useRef, useState } from "react";
import { useAppState } from "../../app/app-context.ts";
import { PAIRING_WARNING } from "../../app/pairing-warning.ts";
import { isSameWarning } from "../../app/same-warning.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import type { RpcError } from "../../gateway-client/rpc-error.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ApprovalItem } from "./approval-item.tsx";
import styles from "./inbox.module.css";
import { LetterItem } from "./letter-item.tsx";
import { PairingItem } from "./pairing-item.tsx";
import { useKeptFocus } from "./use-kept-focus.ts";
import { WarningItem } from "./warning-item.tsx";

/** Dead letters that are listed, newest first. */
const MAX_LETTERS = 100;

interface Item {
  readonly key: string;
  readonly view: React.JSX.Element;
}

/** Everything that waits for the owner: what holds up work first, then people, the gateway's problems, and messages that were given up. */
export function InboxPage(): React.JSX.Element {
  const approvals = useRpc("approvals.list", {});
  const pairing = useRpc("pairing.list", {});
  const letters = useRpc("deadletters.list", { limit: MAX_LETTERS });
  const warnings = useShownWarnings();
  const [retried, setRetried] = useState<Readonly<Record<string, number>>>({});
  const requests: readonly UseQueryResult<unknown, RpcError>[] = [approvals, pairing, letters];
  const missing = requests.filter(({ data }) => data === undefined);
  const pending = missing.find(({ error }) => error !== null) ?? missing[0];
  const letterView = (one: DeadLetter): React.JSX.Element => (
    <LetterItem
      letter={one}
      failedAgain={one.failedAtMs > (retried[one.id] ?? Number.POSITIVE_INFINITY)}
      onRetry={() => setRetried((all) => ({ ...all, [one.id]: one.failedAtMs }))}
    />
  );
  const items: readonly Item[] = [
    ...(approvals.data?.waiting ?? []).map((one) => ({ key: `approval ${one.id}`, view: <ApprovalItem approval={one} /> })),
    ...(pairing.data?.pending ?? []).map((one) => ({ key: `pairing ${one.code}`, view: <PairingItem request={one} /> })),
    ...warnings.map((one) => ({ key: `warning ${one.id}`, view: <WarningItem warning={one} /> })),
    ...(letters.data?.letters ?? []).map((one) => ({ key: `letter ${one.id}`, view: letterView(one) })),
  ];
  return (
    <PageFrame title={t("Inbox")}>
      <div className="page-scroll">
        {pending === undefined ? null : <Loaded query={pending}>{() => null}</Loaded>}
        {pending === undefined && items.length === 0 ? (
          <div className={styles["empty"]}>
            <EmptyState>
              {t(
                "Nothing waits for you. Here you decide on commands that need your word, on people who want to write to the assistant, and on messages that could not be delivered.",
              )}
            </EmptyState>
          </div>
        ) : null}
        <ItemList items={items} />
        {letters.data?.cursor === undefined ? null : (
          <p className="chat-note">{t("Older failed messages are shown once these are done.")}</p>
        )}
      </div>
    </PageFrame>
  );
}

function ItemList({ items }: { readonly items: readonly Item[] }): React.JSX.Element | null {
  const list = useRef<HTMLUListElement>(null);
  const onFocus = useKeptFocus(
    list,
    items.map(({ key }) => key),
  );
  if (items.length === 0) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it only remembers which item has the focus
    <ul ref={list} className={styles["list"]} onFocus={onFocus}>
      {items.map(({ key, view }) => (
        <Fragment key={key}>{view}</Fragment>
      ))}
    </ul>
  );
}

/** The gateway's warnings that were not dismissed. People who ask have items of their own. */
function useShownWarnings(): readonly GatewayWarning[] {
  const warnings = useAppState((state) => state.warnings);
  const hidden = useAppState((state) => state.hiddenWarnings);
  return warnings.filter((warning) => !warning.id.startsWith(PAIRING_WARNING) && !hidden.some((one) => isSameWarning(one, warning)));
}

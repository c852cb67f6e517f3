import type { PairingRequest } from "@factotum/protocol";
import { useController } from "../app/app-context.ts";
import { formatMoment } from "../app/locale.ts";
import { useRpc, useRpcMutation } from "../data/use-rpc.ts";
import { RpcError } from "../gateway-client/rpc-error.ts";
import { t } from "../i18n/t.ts";
import { Button } from "../ui/button.tsx";
import type { Account } from "./account-name.ts";
import styles from "./channel-setup.module.css";

interface PairingRequestsProps {
  readonly account: Account;
  /** Shown while no one asks. */
  readonly empty: React.ReactNode;
  /** Called with the name of a person who was admitted. */
  readonly onApproved?: (name: string) => void;
}

/** The people who ask to write to an account, with what can be decided. */
export function PairingRequests({ account, empty, onApproved }: PairingRequestsProps): React.JSX.Element {
  const pairing = useRpc("pairing.list", {});
  const asking = (pairing.data?.pending ?? []).filter(
    ({ channel, accountId }) => channel === account.channel && accountId === account.accountId,
  );
  return (
    <>
      {/* Always there: screen readers announce what is added. */}
      <ul className={styles["people"]} aria-live="polite" aria-label={t("Asking to be admitted")}>
        {asking.map((request) => (
          <Asking key={request.code} request={request} onApproved={onApproved} />
        ))}
      </ul>
      {asking.length === 0 ? empty : null}
    </>
  );
}

interface AskingProps {
  readonly request: PairingRequest;
  readonly onApproved: ((name: string) => void) | undefined;
}

function Asking({ request: { code, senderId, senderName, expiresAtMs }, onApproved }: AskingProps): React.JSX.Element {
  const controller = useController();
  const approve = useRpcMutation("pairing.approve");
  const reject = useRpcMutation("pairing.reject");
  const isBusy = approve.isPending || reject.isPending;
  const problem = approve.error ?? reject.error;
  // Not by the callback of `mutate`: this may not be drawn any longer when the answer comes.
  const decide = async (decision: "approve" | "reject"): Promise<void> => {
    try {
      const decided = await { approve, reject }[decision].mutateAsync({ code });
      controller.warnings.showPairing(code, decided);
      if (decision === "approve") onApproved?.(senderName ?? senderId);
    } catch (error) {
      // It is shown.
      if (!(error instanceof RpcError)) throw error;
    }
  };
  return (
    <li>
      <span>
        <bdi>{senderName ?? senderId}</bdi>
        <small>
          <bdi>{senderId}</bdi> · {t("Code {code}", { code })} · {t("until {time}", { time: formatMoment(expiresAtMs) })}
        </small>
        {problem === null ? null : (
          <small className="problem" role="alert">
            {problem.message}
          </small>
        )}
      </span>
      <Button variant="primary" busy={isBusy} onClick={() => void decide("approve")}>
        {t("Approve")}
      </Button>
      <Button busy={isBusy} onClick={() => void decide("reject")}>
        {t("Reject")}
      </Button>
    </li>
  );
}

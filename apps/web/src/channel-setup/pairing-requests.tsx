import type { PairingRequest } from "@factotum/protocol";
import { useController } from "../app/app-context.ts";
import { formatMoment } from "../app/locale.ts";
import { useRpc, useRpcMutation } from "../data/use-rpc.ts";
import { t } from "../i18n/t.ts";
import { Button } from "../ui/button.tsx";
import type { Account } from "./account-name.ts";
import styles from "./channel-setup.module.css";

/** The people who ask to write to an account, with what can be decided. `empty`: shown while no one asks. */
export function PairingRequests({ account, empty }: { readonly account: Account; readonly empty: React.ReactNode }): React.JSX.Element {
  const pairing = useRpc("pairing.list", {});
  const asking = (pairing.data?.pending ?? []).filter(
    ({ channel, accountId }) => channel === account.channel && accountId === account.accountId,
  );
  return (
    <>
      {/* Always there: screen readers announce what is added. */}
      <ul className={styles["people"]} aria-live="polite" aria-label={t("Asking to be admitted")}>
        {asking.map((request) => (
          <Asking key={request.code} request={request} />
        ))}
      </ul>
      {asking.length === 0 ? empty : null}
    </>
  );
}

function Asking({ request: { code, senderId, senderName, expiresAtMs } }: { readonly request: PairingRequest }): React.JSX.Element {
  const controller = useController();
  const approve = useRpcMutation("pairing.approve", { changes: ["access", "status"] });
  const reject = useRpcMutation("pairing.reject");
  const isBusy = approve.isPending || reject.isPending;
  const problem = approve.error ?? reject.error;
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
      <Button
        variant="primary"
        busy={isBusy}
        onClick={() => approve.mutate({ code }, { onSuccess: (decided) => controller.warnings.showPairing(code, decided) })}
      >
        {t("Approve")}
      </Button>
      <Button
        busy={isBusy}
        onClick={() => reject.mutate({ code }, { onSuccess: (decided) => controller.warnings.showPairing(code, decided) })}
      >
        {t("Reject")}
      </Button>
    </li>
  );
}

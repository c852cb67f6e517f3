import type { PairingRequest } from "@factotum/protocol";
import { useController } from "../../app/app-context.ts";
import { formatMoment } from "../../app/locale.ts";
import { RichText } from "../../i18n/rich-text.tsx";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { InboxItem } from "./inbox-item.tsx";
import { useDecision } from "./use-decision.ts";

/** A person who asks to be admitted. */
export function PairingItem({ request }: { readonly request: PairingRequest }): React.JSX.Element {
  const { code, channel, accountId, senderId, senderName, requestedAtMs, expiresAtMs } = request;
  const controller = useController();
  const approval = useDecision("pairing.approve");
  const rejection = useDecision("pairing.reject");
  const busy = approval.isBusy || rejection.isBusy;
  const decide = async ({ decide: send }: typeof approval | typeof rejection): Promise<void> => {
    const decided = await send({ code });
    if (decided !== undefined) controller.warnings.showPairing(code, decided);
  };
  return (
    <InboxItem
      title={
        <RichText
          id="<0>{sender}</0> asks to write to <1>{account}</1>."
          values={{ sender: senderId, account: `${channel}/${accountId}` }}
          parts={[<bdi key="0" />, <bdi key="1" />]}
        />
      }
      kind={t("Person")}
      facts={
        <>
          <span>{t("Code {code}", { code })}</span>
          <span>{t("since {time}", { time: formatMoment(requestedAtMs) })}</span>
          <span>{t("until {time}", { time: formatMoment(expiresAtMs) })}</span>
        </>
      }
      actions={
        <>
          <Button variant="primary" busy={busy} onClick={() => void decide(approval)}>
            {t("Approve")}
          </Button>
          <Button busy={busy} onClick={() => void decide(rejection)}>
            {t("Reject")}
          </Button>
        </>
      }
    >
      {senderName === undefined ? null : (
        <p>
          <RichText
            id="Writes under the name “<0>{name}</0>”, which anyone can choose."
            values={{ name: senderName }}
            parts={[<bdi key="0" />]}
          />
        </p>
      )}
      <p>{t("Approve only a person you know.")}</p>
    </InboxItem>
  );
}

import { useState } from "react";
import { useSession } from "../../app/app-context.ts";
import { qrPath } from "../../channel-login/qr-path.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { RichText } from "../../i18n/rich-text.tsx";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { isRecord } from "../../ui/schema-form/schema-node.ts";
import { KeyLink } from "./configuration/key-link.tsx";
import styles from "./settings.module.css";

/** The token of this browser: another one is let in with it, and this one forgets it. */
export function AccessSection(): React.JSX.Element {
  return (
    <>
      <LinkCard />
      <LogOutCard />
    </>
  );
}

/** The link that lets another browser in. It is as good as the token, so it is shown only when it is asked for. */
function LinkCard(): React.JSX.Element {
  const { token } = useSession();
  const [isShown, setShown] = useState(false);
  // The address that the owner has set for others, otherwise that of this page.
  const { gateway } = useRpc("config.get", {}).data?.effective ?? {};
  const publicUrl = isRecord(gateway) ? gateway["publicUrl"] : undefined;
  const address = typeof publicUrl === "string" ? `${publicUrl.replace(/\/*$/, "")}/` : new URL(".", document.baseURI).href;
  const link = `${address}#token=${token}`;
  const code = isShown ? qrPath(link) : undefined;
  const isLocal = /^(?:localhost|127\.|\[::1\])/.test(new URL(link).hostname);
  return (
    <Card title={t("Use another device")}>
      <p>{t("Open this link on a phone or in another browser. It gives all rights of the owner, so share it with no other person.")}</p>
      {isLocal ? (
        <p className="note">
          <RichText
            id="This address works on this machine alone. Another device needs an encrypted way to it, such as tailscale serve or a reverse proxy; then set <0>the address that it has</0>."
            parts={[<KeyLink key="0" path="gateway.publicUrl" />]}
          />
        </p>
      ) : null}
      {isShown ? (
        <>
          <p className={styles["secret"]} dir="ltr">
            <code>{link}</code>
          </p>
          {code === undefined ? null : (
            <svg className={styles["qr"]} viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={t("The link as a QR code")}>
              <rect width={code.size} height={code.size} fill="#fff" />
              <path d={code.path} fill="#000" />
            </svg>
          )}
        </>
      ) : null}
      <div className="actions">
        <Button aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? t("Hide the link") : t("Show the link and its QR code")}
        </Button>
        <CopyButton text={() => link} what={t("the link")} />
      </div>
    </Card>
  );
}

function LogOutCard(): React.JSX.Element {
  const session = useSession();
  const [asks, setAsks] = useState(false);
  return (
    <Card title={t("This browser")}>
      <p>{t("This browser keeps the token of your gateway until you log out.")}</p>
      <div className="actions">
        <Button variant="danger" onClick={() => setAsks(true)}>
          {t("Log out")}
        </Button>
      </div>
      {asks ? (
        <ConfirmDialog
          title={t("Log out?")}
          text={t("This browser forgets the token. To come back, open the address that the gateway prints when it starts.")}
          yes={t("Log out")}
          danger
          onConfirm={() => session.logOut()}
          onClose={() => setAsks(false)}
        />
      ) : null}
    </Card>
  );
}

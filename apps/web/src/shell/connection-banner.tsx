import { useEffect, useState } from "react";
import { useAppState, useSession } from "../app/app-context.ts";
import { sentenceSpace } from "../i18n/sentence-space.ts";
import { gatewayText } from "../i18n/gateway-text.ts";
import { t } from "../i18n/t.ts";

/** Shows that the page is disconnected, when it retries, and what to do. Empty while connected. */
export function ConnectionBanner(): React.JSX.Element | null {
  const connection = useAppState((state) => state.connection);
  const session = useSession();
  switch (connection.type) {
    case "connected":
    case "stopped":
    case "connecting":
      return null;
    case "refused":
      return (
        <div className="banner error" role="alert">
          <span>{gatewayText(connection.message)}</span>
          <button type="button" className="text-button" onClick={() => window.location.reload()}>
            {t("Reload")}
          </button>
        </div>
      );
    case "waiting":
      return (
        <output className="banner">
          <span>
            {gatewayText(connection.reason)}
            {sentenceSpace()}
            <Countdown untilMs={connection.retryAtMs} />
            {connection.attempt < 4 ? "" : ` ${t("Check that the gateway runs: factotum gateway status.")}`}
          </span>
          <button type="button" className="text-button" onClick={() => session.retryNow()}>
            {t("Try now")}
          </button>
        </output>
      );
  }
}

function Countdown({ untilMs }: { readonly untilMs: number }): React.JSX.Element {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
  // A number that changes every second must not be read aloud.
  return <span aria-hidden="true">{t("Trying again in {seconds} s.", { seconds })}</span>;
}

/** A dot with a word for the connection state. */
export function ConnectionMark(): React.JSX.Element {
  const type = useAppState((state) => state.connection.type);
  const words = {
    connected: t("Connected"),
    connecting: t("Connecting…"),
    waiting: t("Offline"),
    refused: t("Refused"),
    stopped: t("Stopped"),
  };
  return (
    <span className={`connection ${type}`}>
      <span className="dot" aria-hidden="true" />
      {words[type]}
    </span>
  );
}

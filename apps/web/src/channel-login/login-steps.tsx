import type { ChannelLoginStep } from "@factotum/protocol";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { RpcError } from "../gateway-client/rpc-error.ts";
import { useSession } from "../app/app-context.ts";
import { focusOnce } from "../ui/focus-once.ts";
import { WebLink } from "../ui/web-link.tsx";
import type { LoginAccount } from "./login-client.ts";
import { qrPath } from "./qr-path.ts";
import "./channel-login.css";
import { sentenceSpace } from "../i18n/sentence-space.ts";
import { gatewayText } from "../i18n/gateway-text.ts";
import { t } from "../i18n/t.ts";

type Step<Type extends ChannelLoginStep["type"]> = Extract<ChannelLoginStep, { type: Type }>;

/** What is shown of a login: all texts and links so far, the newest code, and the open question. */
interface Shown {
  readonly texts: readonly (Step<"text" | "done"> | Step<"link">)[];
  readonly qr?: Step<"qr">;
  readonly question?: Step<"ask"> | undefined;
  readonly isDone: boolean;
}

const NOTHING: Shown = { texts: [], isDone: false };

function addStep(shown: Shown, step: ChannelLoginStep): Shown {
  switch (step.type) {
    case "text":
    case "link":
      return { ...shown, texts: [...shown.texts, step] };
    case "qr":
      return { ...shown, qr: step };
    case "ask":
      return { ...shown, question: step };
    case "done":
      return { texts: [step], isDone: true };
    case "waiting":
      return shown;
  }
}

interface LoginStepsProps {
  readonly account: LoginAccount;
  readonly onBack: () => void;
  /** The words of the button after it is done; it leads back, too. */
  readonly done?: string;
}

/** Runs one login of an account. Leaving it, also by closing the dialog, ends the login in the gateway. */
export function LoginSteps({ account, onBack, done }: LoginStepsProps): React.JSX.Element {
  const { logins } = useSession();
  const [shown, setShown] = useState(NOTHING);
  const [problem, setProblem] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  const answer = useRef<(line: string) => void>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const ask = async (): Promise<string> => new Promise((resolve) => void (answer.current = resolve));
    logins.run(account, { signal, ask, onStep: (step) => setShown((before) => addStep(before, step)) }).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
      if (signal.aborted) return;
      setShown(NOTHING);
      setProblem(error.message);
    });
    return () => leaving.abort();
  }, [logins, account, attempt]);
  const beginAgain = (): void => {
    setProblem(undefined);
    setAttempt(attempt + 1);
  };
  const reply = (line: string): void => {
    setShown((before) => ({ ...before, question: undefined }));
    answer.current?.(line);
  };
  return (
    <section className="setup-step" aria-labelledby="channel-login">
      <h3 id="channel-login">{t("Log in to {account}", { account: `${account.channel}/${account.accountId}` })}</h3>
      <output className="login-texts">
        {shown.texts.length === 0 && shown.qr === undefined && problem === undefined ? <span>{t("Waiting for the channel…")}</span> : null}
        {shown.texts.map((step, index) => (
          // Steps are only appended.
          <span key={index} dir="auto">
            {gatewayText(step.text)}
            {sentenceSpace()}
            {step.type === "link" ? <LoginLink url={step.url} /> : null}
          </span>
        ))}
      </output>
      {shown.qr === undefined ? null : <QrCode step={shown.qr} />}
      {shown.question === undefined ? null : <Question step={shown.question} onAnswer={reply} />}
      {problem === undefined ? null : (
        <p className="setup-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="dialog-actions apart">
        <button type="button" className={shown.isDone ? "button primary" : "button"} onClick={onBack} ref={focusOnce}>
          {shown.isDone ? (done ?? t("Back to the setup")) : t("Back")}
        </button>
        {problem === undefined ? null : (
          <button type="button" className="button primary" ref={focusOnce} onClick={beginAgain}>
            {t("Begin again")}
          </button>
        )}
      </div>
    </section>
  );
}

/** Only web addresses can be followed: the address comes from the channel. */
function LoginLink({ url }: { readonly url: string }): React.JSX.Element {
  if (!URL.canParse(url) || !["https:", "http:"].includes(new URL(url).protocol)) return <code>{url}</code>;
  return <WebLink url={url}>{url}</WebLink>;
}

function QrCode({ step: { content, text } }: { readonly step: Step<"qr"> }): React.JSX.Element {
  const drawn = qrPath(content);
  return (
    <figure className="login-code">
      {drawn === undefined ? (
        <code>{content}</code>
      ) : (
        <svg role="img" aria-label={t("QR code")} viewBox={`0 0 ${drawn.size} ${drawn.size}`} shapeRendering="crispEdges">
          <path fill="#fff" d={`M0 0h${drawn.size}v${drawn.size}h-${drawn.size}z`} />
          <path fill="#000" d={drawn.path} />
        </svg>
      )}
      <figcaption dir="auto">{gatewayText(text)}</figcaption>
    </figure>
  );
}

function Question({
  step: { text, isSecret },
  onAnswer,
}: {
  readonly step: Step<"ask">;
  readonly onAnswer: (line: string) => void;
}): React.JSX.Element {
  const [line, setLine] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (line.trim() !== "") onAnswer(line.trim());
  };
  return (
    <form className="dialog-form" onSubmit={submit}>
      <label className="field">
        <span>{gatewayText(text)}</span>
        <input
          type={isSecret ? "password" : "text"}
          autoComplete="off"
          spellCheck={false}
          maxLength={10_000}
          ref={focusOnce}
          value={line}
          onChange={(event) => setLine(event.target.value)}
        />
      </label>
      <button type="submit" className="button primary" disabled={line.trim() === ""}>
        {t("Continue")}
      </button>
    </form>
  );
}

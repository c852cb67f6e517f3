import type { GatewayWarning, WarningCode } from "@factotum/protocol";
import { Link } from "@tanstack/react-router";
import { accountKey } from "../channel-setup/account-name.ts";
import { asSentence } from "../i18n/as-sentence.ts";
import { gatewayText } from "../i18n/gateway-text.ts";
import { msg, t } from "../i18n/t.ts";
import { RichText } from "../i18n/rich-text.tsx";

interface Words {
  readonly text: string;
  /** An element in it is a link to the place where that is done. */
  readonly fix?: string;
  /** The values in the text, in the order of its elements. */
  readonly names: readonly string[];
}

const WORDS: Readonly<Record<WarningCode, Words>> = {
  "channel-failed": {
    text: msg("<0>{account}</0> could not be started. <1>{reason}</1>"),
    fix: msg("Check its <0>settings</0>. It is tried again by itself where that can help."),
    names: ["account", "reason"],
  },
  "channel-disconnected": {
    text: msg("<0>{account}</0> is not connected. <1>{reason}</1>"),
    fix: msg("It keeps trying by itself. What is to be sent waits meanwhile."),
    names: ["account", "reason"],
  },
  "channel-degraded": { text: msg("<0>{account}</0> does not work as it should. <1>{reason}</1>"), names: ["account", "reason"] },
  "messages-late": {
    text: msg("Messages on <0>{account}</0> wait. <1>{reason}</1>"),
    fix: msg("They are sent by themselves as soon as that is possible."),
    names: ["account", "reason"],
  },
  pairing: { text: msg("<0>{sender}</0> asks to write to <1>{account}</1>."), names: ["sender", "account"] },
  "run-failed": { text: msg("The newest run of <0>{agent}</0> failed. <1>{reason}</1>"), names: ["agent", "reason"] },
  "restart-needed": {
    text: msg("Changed since the start: <0>{keys}</0>."),
    fix: msg("Restart the gateway on the page <0>Overview</0> to use it."),
    names: ["keys"],
  },
  "file-unused": {
    text: msg("<0>{path}</0> is not used, and what ran before stays: <1>{reason}</1>"),
    fix: msg("Repair it. It is used as soon as it is good."),
    names: ["path", "reason"],
  },
  "tools-unusable": {
    text: msg("The tools of <0>{source}</0> cannot be used: <1>{reason}</1>"),
    fix: msg("Check its settings and what it needs. It is tried again when it is used."),
    names: ["source", "reason"],
  },
  "agent-unusable": {
    text: msg("The external agent <0>{agent}</0> cannot be started: <1>{reason}</1>"),
    fix: msg("Install it, or name it by its full path in the settings."),
    names: ["agent", "reason"],
  },
};

/** A warning in the page's language; in the gateway's own words, translated where they are known, if it is not known as data. Names of others do not reorder what is around them. */
export function WarningText({ warning: { text, facts } }: { readonly warning: GatewayWarning }): React.JSX.Element {
  if (facts === undefined) return <bdi>{gatewayText(text)}</bdi>;
  const { text: id, names } = WORDS[facts.code];
  const values = { ...Object.fromEntries(names.map((name) => [name, ""])), ...shownValues(facts.values) };
  return (
    <RichText
      id={id}
      values={values}
      parts={names.map((name) => (
        <bdi key={name} />
      ))}
    />
  );
}

/** A reason is a sentence of the gateway; another one may follow it. */
function shownValues(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return values["reason"] === undefined ? values : { ...values, reason: asSentence(gatewayText(values["reason"])) };
}

/** What to do about a warning; nothing if its text says it. */
export function WarningFix({ warning: { fix, facts } }: { readonly warning: GatewayWarning }): React.JSX.Element | null {
  const words = facts === undefined ? undefined : WORDS[facts.code].fix;
  if (facts !== undefined && words !== undefined) {
    // A text without a link is in no compiled catalogue in English.
    if (!words.includes("<0>")) return <>{t(words)}</>;
    return <RichText id={words} parts={[<PlaceLink key="0" account={facts.values["account"]} />]} />;
  }
  return facts !== undefined || fix === undefined ? null : <bdi>{gatewayText(fix)}</bdi>;
}

interface PlaceLinkProps {
  /** As warnings write it: `telegram/default`; `undefined`: it is about the gateway. */
  readonly account: string | undefined;
  /** Given by the text that it stands in. */
  readonly children?: React.ReactNode;
}

/** The way to the account, or to the state of the gateway. */
function PlaceLink({ account, children }: PlaceLinkProps): React.JSX.Element {
  if (account === undefined) return <Link to="/overview">{children}</Link>;
  const [channel = "", accountId = "default"] = account.split("/");
  return (
    <Link to="/channels/$account" params={{ account: accountKey({ channel, accountId }) }}>
      {children}
    </Link>
  );
}

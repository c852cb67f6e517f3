import type { ChatSubagent } from "@factotum/protocol";
import { type RefObject } from "react";
import { useAppState } from "../../../app/app-context.ts";
import { Icon } from "../../../ui/icon.tsx";
import { useDraft } from "../use-draft.ts";
import { useEditedText } from "../use-edited-text.ts";
import { isOpenSubagent, stateWord } from "./describe-subagent.ts";
import { useSteering } from "./use-steering.ts";
import { t } from "../../../i18n/t.ts";

/** Below the conversation of a sub-agent: the field that steers it, or the reason why it cannot be steered. */
export function SubagentComposer({
  subagent,
  input,
}: {
  readonly subagent: ChatSubagent | "gone" | "loading";
  readonly input: RefObject<HTMLTextAreaElement | null>;
}): React.JSX.Element | null {
  const mayChange = useAppState((state) => state.mayNotChangeSubagents !== true);
  if (subagent === "loading") return null;
  if (subagent === "gone")
    return (
      <p className="subagent-closed">
        {t("The conversation of this sub-agent is no longer kept. Its result is in the conversation that asked for it.")}
      </p>
    );
  if (!isOpenSubagent(subagent))
    return (
      <p className="subagent-closed">
        {t("This sub-agent has ended: {state}. Its result is in the conversation that asked for it.", {
          state: stateWord(subagent.state).toLowerCase(),
        })}
      </p>
    );
  if (!mayChange) return <p className="subagent-closed">{t("You can read this conversation, but not steer the sub-agent.")}</p>;
  return <SteerField subagent={subagent} input={input} />;
}

function SteerField({
  subagent,
  input,
}: {
  readonly subagent: ChatSubagent;
  readonly input: RefObject<HTMLTextAreaElement | null>;
}): React.JSX.Element {
  const [text, change] = useDraft(subagent.sessionKey);
  const { isSending, outcome, send } = useSteering(subagent);
  useEditedText(subagent.sessionKey, change, input);
  const isEmpty = text.trim() === "";
  const submit = async (): Promise<void> => {
    if (isEmpty || isSending || !(await send(text.trim()))) return;
    change("");
    input.current?.focus();
  };
  return (
    <form
      className="composer"
      aria-label={t("Message to the sub-agent")}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {outcome === undefined ? null : outcome.type === "failed" ? (
        <p className="subagent-outcome failed" role="alert">
          {outcome.text}
        </p>
      ) : isEmpty ? (
        <output className="subagent-outcome">{outcome.text}</output>
      ) : null}
      <div className="composer-box">
        <div className="grow" data-text={CSS.supports("field-sizing", "content") ? undefined : text}>
          <textarea
            ref={input}
            id="message"
            aria-label={t("Message to the sub-agent")}
            dir="auto"
            placeholder={t("Steer this sub-agent")}
            rows={1}
            enterKeyHint="send"
            value={text}
            onChange={(event) => change(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return;
              event.preventDefault();
              void submit();
            }}
          />
        </div>
        <button type="submit" className="round-button" aria-label={t("Send")} title={t("Send (Enter)")} disabled={isEmpty || isSending}>
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}

import { useNavigate } from "@tanstack/react-router";
import { useAppState, useController } from "../app/app-context.ts";
import { mainKeyOf } from "../app/app-state.ts";
import { sessionTitle } from "../app/session-title.ts";
import { applyTheme, type Theme } from "../app/theme.ts";
import { useFirstRun } from "../first-run/first-run.tsx";
import { LANGUAGES, languageName } from "../i18n/language.ts";
import { msg, t } from "../i18n/t.ts";
import type { IconName } from "../ui/icon.tsx";
import { useLanguageChoice } from "./use-language-choice.ts";
import { usePages } from "./use-pages.ts";

/** What the palette offers. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  readonly run: () => void;
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", msg("Colours of the device")],
  ["light", msg("Light colours")],
  ["dark", msg("Dark colours")],
];

/** The pages, the actions that need nothing else, and the conversations, newest first. */
export function useCommands(): readonly Command[] {
  const pages = usePages();
  const navigate = useNavigate();
  const controller = useController();
  const firstRun = useFirstRun();
  const choose = useLanguageChoice();
  const sessions = useAppState((state) => state.sessions);
  const mainKey = useAppState(mainKeyOf);
  return [
    ...pages.map(({ id, label, icon, link }) => ({ id: `page ${id}`, label, icon, run: () => void navigate(link).then(focusContent) })),
    { id: "new", label: t("New chat"), icon: "plus", run: () => controller.startChat() },
    { id: "setup", label: t("Set up step by step"), icon: "gear", run: () => void firstRun.open() },
    ...THEMES.map(([theme, label]) => ({
      id: `theme ${theme}`,
      label: t(label),
      icon: "system" as const,
      run: () => applyTheme(theme, window),
    })),
    ...LANGUAGES.map((language) => ({
      id: `language ${language}`,
      label: t("Language: {language}", { language: languageName(language) }),
      icon: "language" as const,
      run: () => void choose(language),
    })),
    ...sessions.map((summary) => ({
      id: `session ${summary.key}`,
      label: sessionTitle(summary.key, summary, mainKey),
      icon: "chat" as const,
      run: () => controller.openSession(summary.key),
    })),
  ];
}

/** What had the focus may be gone with the page before. */
function focusContent(): void {
  document.getElementById("content")?.focus();
}

/** The commands whose label has every word of a query, in any order and case. */
export function findCommands<Found extends Pick<Command, "label">>(commands: readonly Found[], query: string): readonly Found[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
}

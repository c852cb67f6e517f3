import { createContext, useContext, useEffect, useMemo, useRef, useState } from "react";
import { t } from "../i18n/t.ts";
import { Button } from "./button.tsx";
import styles from "./toasts.module.css";

/** Milliseconds for which a toast is shown. */
const SHOWN_MS = 8000;

/** A short message that needs no answer. */
interface Toast {
  readonly text: string;
  /** `error`: something did not work; it stays until it is dismissed. */
  readonly kind?: "info" | "error";
  /** Mostly "Undo". The toast goes when it is pressed. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Shows toasts. */
export interface Toasts {
  readonly show: (toast: Toast) => void;
}

const ToastsContext: React.Context<Toasts | undefined> = createContext<Toasts | undefined>(undefined);

/** The way to the toasts; throws outside of the region. */
export function useToasts(): Toasts {
  const toasts = useContext(ToastsContext);
  if (toasts === undefined) throw new Error("A toast was shown outside of the region.");
  return toasts;
}

interface ShownToast extends Toast {
  readonly id: number;
}

/**
 * Adds a toast. The same words again take the place of those before, unless they have an action, which is about something of its own; and what only says
 * that something worked makes room for the next toast, so that they do not pile up.
 */
export function withToast<Shown extends Toast>(all: readonly Shown[], added: Shown): readonly Shown[] {
  const stays = ({ text, kind, action }: Shown): boolean =>
    action !== undefined || (kind === "error" && (text !== added.text || added.action !== undefined));
  return [...all.filter(stays), added];
}

/**
 * Around everything that shows toasts. They are read aloud, do not take the focus, and go after eight seconds, except errors. The mouse or the focus on one holds it.
 */
export function ToastRegion({ children }: { readonly children: React.ReactNode }): React.JSX.Element {
  const [shown, setShown] = useState<readonly ShownToast[]>([]);
  const serial = useRef(0);
  const remove = (id: number): void => setShown((all) => all.filter((toast) => toast.id !== id));
  const toasts = useMemo<Toasts>(
    () => ({
      show: (toast) => {
        serial.current += 1;
        const id = serial.current;
        setShown((all) => withToast(all, { ...toast, id }));
      },
    }),
    [],
  );
  return (
    <ToastsContext value={toasts}>
      {children}
      <section className={styles["region"]} aria-label={t("Messages")}>
        <output>
          {shown.map((toast) => (
            <ToastView key={toast.id} toast={toast} onClose={() => remove(toast.id)} />
          ))}
        </output>
      </section>
    </ToastsContext>
  );
}

function ToastView({
  toast: { text, kind = "info", action },
  onClose,
}: {
  readonly toast: Toast;
  readonly onClose: () => void;
}): React.JSX.Element {
  const [isHeld, setHeld] = useState(false);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    if (kind === "error" || isHeld) return undefined;
    const timer = setTimeout(() => close.current(), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [kind, isHeld]);
  return (
    <div
      className={kind === "error" ? `${styles["toast"]} ${styles["error"]}` : styles["toast"]}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{text}</span>
      {action === undefined ? null : (
        <Button
          variant="text"
          onClick={() => {
            action.run();
            onClose();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button variant="text" onClick={onClose}>
        {t("Dismiss")}
      </Button>
    </div>
  );
}

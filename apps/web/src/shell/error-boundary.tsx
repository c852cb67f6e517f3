import { Component, type ReactNode } from "react";
import { t } from "../i18n/t.ts";

/** Shows a sentence and a way out after an error of the page itself. Drafts are kept by the browser. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};

  static getDerivedStateFromError(error: unknown): { readonly error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <main className="gate">
        <div className="gate-card" role="alert">
          <h1 className="wordmark">Factotum</h1>
          <p>{t("This page has a fault and cannot continue. The gateway keeps working, and what you have typed is kept.")}</p>
          <p className="gate-reason">{error.message}</p>
          <button type="button" className="button primary" onClick={() => window.location.reload()}>
            {t("Reload the page")}
          </button>
          <button type="button" className="button" onClick={() => window.location.assign(window.location.pathname)}>
            {t("Open the main conversation")}
          </button>
        </div>
      </main>
    );
  }
}

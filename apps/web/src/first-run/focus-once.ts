/** As a `ref`: gives an element the focus when it appears. A step of a dialog takes the place of the one that had it. */
export function focusOnce(element: HTMLElement | null): void {
  element?.focus();
}

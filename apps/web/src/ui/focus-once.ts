/** As a `ref`: focuses an element when it appears. A step of a dialog takes the focus of the one that it replaces. */
export function focusOnce(element: HTMLElement | null): void {
  element?.focus();
}

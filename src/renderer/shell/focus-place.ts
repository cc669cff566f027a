/** A part of the window, which the focus does not leave by itself. */
const AREAS = '[data-region], [role="dialog"], [role="alertdialog"]';
export const FOCUSABLE = 'button, input:not(:disabled), select, textarea, a[href], canvas[tabindex], [tabindex="0"]';

/** Where an element is among those around it. */
export interface FocusPlace {
  readonly element: HTMLElement;
  /**
   * Focuses it or, if it is gone, what is nearest to its place: in its row, its list, its section; finally, the part of
   * the window as a whole. False if that is gone, too.
   */
  readonly take: () => boolean;
}

const MENU = '[role="menu"]';
let lastOutsideMenus: HTMLElement | undefined;

/**
 * Notes what has the focus now: a menu disappears with what is chosen in it, and the focus goes back to where it was.
 */
export function noteFocus(element: HTMLElement): void {
  if (element.closest(MENU) === null) lastOutsideMenus = element;
}

/** Notes an element's place while it is there; for an item of a menu, the place from which the menu was opened. */
export function focusPlaceOf(focused: HTMLElement): FocusPlace {
  const opener =
    focused.closest(MENU) !== null && lastOutsideMenus?.isConnected === true ? lastOutsideMenus : undefined;
  const element = opener ?? focused;
  const area = element.closest<HTMLElement>(AREAS);
  const others = [...(area?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])];
  const at = Math.max(0, others.indexOf(element));
  const nearest = [...others.slice(at), ...others.slice(0, at).toReversed()];
  const groups: Element[] = [];
  for (let group = element.parentElement; group !== null && group !== area; group = group.parentElement) {
    groups.push(group);
  }
  // Another screen has another heading, and chooses its first focus itself.
  const whole = area?.dataset['region'] === 'screen' ? area.querySelector('h1') : area;
  return {
    element,
    take: () => {
      const around = groups.flatMap((group) => nearest.filter((other) => group.isConnected && group.contains(other)));
      return [element, ...around].some(takesFocus) || (whole !== null && focusWhole(whole));
    },
  };
}

/** Focuses something that is read rather than pressed, so that Tab goes on from there. False if it is gone. */
export function focusWhole(element: HTMLElement): boolean {
  element.tabIndex = -1;
  return takesFocus(element);
}

/** Focuses an element. False if it cannot have the focus, such as a disabled button. */
export function takesFocus(element: HTMLElement): boolean {
  element.focus();
  return element !== document.body && element === document.activeElement;
}

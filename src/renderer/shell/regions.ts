/** The parts of the window that the keyboard goes to and fro between: marked by `data-region`, in the order of F6. */
const REGIONS = ['side', 'screen', 'grid', 'panel'] as const;
export type Region = (typeof REGIONS)[number];

const FOCUSABLE =
  'button:not(:disabled), input:not(:disabled), select, textarea, a[href], canvas[tabindex], [tabindex="0"]';

export function hasRegion(region: Region): boolean {
  return document.querySelector(`[data-region="${region}"]`) !== null;
}

/** True where a part takes what is typed. */
export function isReady(region: Region): boolean {
  return document.querySelector(`[data-region="${region}"][data-ready="true"]`) !== null;
}

/** Gives the keyboard to a part of the window: a screen by its heading, a panel as a whole. False where it is not there. */
export function focusRegion(region: Region): boolean {
  const place = document.querySelector<HTMLElement>(`[data-region="${region}"]`);
  const target = region === 'panel' ? place : place?.querySelector<HTMLElement>(region === 'screen' ? 'h1' : FOCUSABLE);
  if (target === null || target === undefined) return false;
  // What is read out, not pressed, has to be made fit for the keyboard.
  if (region === 'screen' || region === 'panel') target.tabIndex = -1;
  target.focus();
  return true;
}

/** Goes on to the next part of the window, or back to the one before. */
export function focusNextRegion(step: 1 | -1): void {
  const here = document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset['region'];
  const at = REGIONS.findIndex((region) => region === here);
  for (let steps = 1; steps <= REGIONS.length; steps += 1) {
    const next = REGIONS[(Math.max(at, step === 1 ? -1 : 0) + step * steps + 2 * REGIONS.length) % REGIONS.length];
    if (next !== undefined && focusRegion(next)) return;
  }
}
